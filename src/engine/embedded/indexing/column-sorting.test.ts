// Columns of a large namespace are sorted for filters that are asked for, within the memory limit, while records change.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseFilter } from '../../../domain/filter/parse-filter.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { SCANS_MIN } from '../filters/column-sorter.ts';
import { RUN_BYTES, RUN_ENTRIES } from '../filters/sorted-run.ts';
import { openInProcess } from '../in-process-index.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { bytesOf } from '../segments/segment-writer.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { ColumnSorting } from './column-sorting.ts';

const TENANTS = 5_000;
const RECORDS = RUN_ENTRIES + 2_000;
const BATCH = 1_000;
const FRAMES_MAX = 4_000;

const tenantOf = (position: number) => `tenant ${(position * 7_919) % TENANTS}`;

function recordAt(position: number) {
  const metadataJson = JSON.stringify({ tenant: tenantOf(position), position });
  return { id: String(position), values: Float32Array.of(position, 1), sparse: null, metadataJson };
}

test('counts the same after a column is sorted, and after writes, and gives its memory back with the namespace', async (t) => {
  const budget = FrameBudget.of(FRAMES_MAX);
  const profile = sampleProfile({ metric: 'euclidean', dimension: 2 });
  const index = openInProcess(profile, join(tempFolder(t), 'index'), {
    budget,
    directRecordsMax: 0,
    maintenanceLimits: { graphRecordsMin: Number.POSITIVE_INFINITY, unindexedSlotsMin: 256 },
  });
  t.after(() => index.close());
  const { reader, writer, parts } = index;
  const framesAtFirst = budget.used;
  for (let first = 0; first < RECORDS; first += BATCH)
    await writer.upsert(
      '',
      Array.from({ length: Math.min(BATCH, RECORDS - first) }, (_, at) => recordAt(first + at)),
    );
  const count = (tenant: number) => reader.count('', parseFilter({ tenant: `tenant ${tenant}` }));
  const expected = (tenant: number, records = RECORDS) =>
    Array.from({ length: records }, (_, position) => position).filter(
      (position) => tenantOf(position) === `tenant ${tenant}`,
    ).length;
  const columnBytes = () =>
    parts.loaded.segments().reduce((sum, segment) => sum + bytesOf(segment).columns, 0);
  assert.equal(await count(0), expected(0));
  const before = columnBytes();
  // Filters that were not asked before.
  for (let tenant = 1; tenant <= SCANS_MIN; tenant++) assert.equal(await count(tenant), expected(tenant));
  await until(() => columnBytes() === before + RUN_BYTES, 'the sorted run');
  for (const tenant of [100, 101, 102]) assert.equal(await count(tenant), expected(tenant));
  assert.equal(await count(TENANTS), 0);

  await writer.deleteByFilter('', parseFilter({ tenant: 'tenant 103' }));
  assert.equal(await count(103), 0);
  await writer.upsert('', [{ ...recordAt(5), metadataJson: '{"tenant": "tenant 104"}' }]);
  assert.equal(await count(104), expected(104) + 1);

  await writer.deleteNamespace('');
  await until(() => parts.loaded.segments().length === 0, 'the end of the namespace');
  await until(() => budget.used <= framesAtFirst, 'the memory');
});

test('warns of a run that cannot be sorted, and sorts when it is asked again', async (t) => {
  const warn = t.mock.fn();
  const failure = new RangeError('Array buffer allocation failed');
  let asked = 0;
  const sortColumn = () => {
    if (++asked === 1) throw failure;
    return false;
  };
  const namespace = {
    namespaceId: 1,
    segments: [{ data: { sortColumn } }],
    layout: { takeDeltas: () => [] },
  };
  const namespaces = new Map([[1, namespace]]);
  const sorting = new ColumnSorting({ namespaces, announce: () => undefined, warn });
  sorting.start();
  await until(() => warn.mock.callCount() > 0, 'the warning');
  assert.deepEqual(
    warn.mock.calls.map((call) => call.arguments),
    [[failure]],
  );
  sorting.start();
  assert.equal(asked, 2);
});
