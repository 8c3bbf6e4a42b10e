// An index that restores its namespace from derived files, beside a model of its records.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessIndex, type InProcessOptions, openInProcess } from '../in-process-index.ts';
import { InProcessBuilders } from '../indexing/builds/in-process-builders.ts';
import { HardRecords } from './hard-records.ts';
import { assertRecall } from './recall.ts';
import { tempFolder } from './temp-folder.ts';

/** In a namespace, by default. */
export const RECORDS = 2_000;
export const PROFILE = sampleProfile({ metric: 'euclidean', dimension: 32 });
export const ON_DISK: IndexProfile = {
  ...sampleProfile({ metric: 'euclidean', dimension: 128 }),
  memoryProfile: 'disk',
};
const PER_MILLES = [null, 500, 20];

/** Counts the slots that go into graphs. */
export class CountingBuilders extends InProcessBuilders {
  inserted = 0;

  override run(...[memory, job]: Parameters<InProcessBuilders['run']>): ReturnType<InProcessBuilders['run']> {
    if (job.kind === 'insert') this.inserted += job.slots.length;
    return super.run(memory, job);
  }
}

interface Setting {
  readonly framesMax?: number;
  readonly profile?: IndexProfile;
}

/** An index whose namespace is compared with a model, before and after restarts from derived files. */
export function derivedFixture(test: TestContext, { profile = PROFILE, ...setting }: Setting = {}) {
  const folder = tempFolder(test);
  const derived = join(folder, 'derived');
  const model = new ReferenceIndex(profile);
  const records = new HardRecords(profile, 91);
  let index: InProcessIndex | undefined;
  test.after(() => index?.close());
  const open = (more: Pick<InProcessOptions, 'maintenanceLimits' | 'verifier'> = {}) => {
    const builders = new CountingBuilders();
    index = openInProcess(profile, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 20,
      builders,
      ...setting,
      ...more,
    });
    return { index, builders };
  };
  const upsert = async (first: number, count: number) => {
    const batch = records.records(first, count);
    for (const side of [index?.writer, model]) await side?.upsert('', batch);
  };
  const remove = async (ids: readonly string[]) => {
    for (const side of [index?.writer, model]) await side?.deleteIds('', ids);
  };
  const check = async () => {
    assert.ok(index !== undefined);
    const queries = PER_MILLES.flatMap((perMille) => [1, 2, 3].map(() => records.query(perMille)));
    await assertRecall({ actual: index.reader, model }, queries);
  };
  /** Waits until all is in the graph and on disk. */
  const saved = async () => {
    assert.ok(index !== undefined);
    const { loaded, checkpointer } = index.parts;
    await loaded.settled();
    await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the files');
    await loaded.settled();
  };
  /** A namespace in files, and its index closed. */
  const prepare = async (count = RECORDS) => {
    const opened = open();
    await upsert(0, count);
    await check();
    await saved();
    await opened.index.close();
    index = undefined;
    return readdirSync(derived);
  };
  return { folder, derived, open, upsert, remove, check, saved, prepare };
}
