// Segments are saved at different times: a restart from files of different ages shows no record twice and no deleted one.
import { it } from 'node:test';
import { until } from '../../../../platform/testing/until.ts';
import { sampleProfile, where } from '../../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import { type InProcessIndex, openInProcess } from '../../in-process-index.ts';
import { tempFolder } from '../temp-folder.ts';
import { checkState } from './soak-checks.ts';
import { SoakRecords } from './soak-records.ts';

const RECORDS = 4_000;
const NEW = 1_000;
const SEGMENTS = 4;
const CHANGED = 20;

it('restores a namespace whole when one segment has a newer file than another', async (test) => {
  const folder = tempFolder(test);
  const profile = sampleProfile({ metric: 'euclidean', dimension: 32 });
  const model = new ReferenceIndex(profile);
  const records = new SoakRecords(profile, 17);
  let index: InProcessIndex | undefined;
  test.after(() => index?.close());
  const open = () =>
    openInProcess(profile, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 20,
      framesMax: 44,
      arenasMax: 8,
    });
  index = open();
  const { writer, reader, parts } = index;
  const sides = [writer, model];
  const upsert = async (first: number, count: number) => {
    const batch = Array.from({ length: count }, (_, i) => records.record(`r${first + i}`));
    for (const side of sides) await side.upsert('', batch);
  };
  const saved = async () => {
    await parts.loaded.settled();
    const isSaved = () => parts.loaded.segments().every((segment) => parts.checkpointer.isSaved(segment));
    await until(isSaved, 'the files');
    await parts.loaded.settled();
  };
  await upsert(0, RECORDS);
  await reader.query(records.query(''));
  await saved();
  // Once in each segment, so that each has a file with a slot for the same records: they are too few for another file.
  let count = RECORDS;
  for (let segment = 1; segment < SEGMENTS; segment++) {
    for (; parts.loaded.segments().length <= segment; count += NEW) await upsert(count, NEW);
    await saved();
    for (let i = 0; i < CHANGED; i++) {
      const change = {
        id: `r${i}`,
        values: null,
        sparse: null,
        setMetadata: { slice: segment, group: 'changed' },
      };
      for (const side of sides) await side.update('', change);
    }
  }
  await upsert(count, NEW);
  await saved();
  const gone = Array.from({ length: CHANGED / 2 }, (_, i) => `r${i}`);
  for (const side of sides) await side.deleteIds('', gone);
  await index.close();
  index = open();
  await checkState({ actual: index.reader, model }, '', [
    where('group', { op: 'in', values: ['changed'] }),
    where('slice', { op: 'in', values: [SEGMENTS - 1] }),
  ]);
});
