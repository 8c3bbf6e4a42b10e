// What was in memory before a restart is there again before the first request.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { SegmentFiles } from '../indexing/segment-files.ts';
import { indexFolder } from '../storage/index-files.ts';
import { EngineClient } from '../testing/engine-client.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ dimension: 8, metric: 'dotproduct' });
const LAST = numbered(1);
const EARLIER = numbered(2);
const EMPTY = numbered(3);
/** Enough for a derived file, because the records have sparse vectors. */
const RECORDS = 2_100;

it('loads the index that was saved last, and opens the others that were saved', async (test) => {
  const dataDir = tempFolder(test);
  const files = (id: string) => SegmentFiles.folderIn(indexFolder(dataDir, id));
  const savedFiles = (id: string) =>
    (existsSync(files(id)) ? readdirSync(files(id)) : []).filter((name) => SegmentFiles.namespaceOf(name));
  const records = new RandomRecords(PROFILE, 1);
  const first = new EngineClient(dataDir);
  test.after(() => first.engine.close());
  for (const index of [EARLIER, LAST, EMPTY]) await first.engine.createIndex(index);
  for (const index of [EARLIER, LAST]) {
    await first.engine.writer(index).upsert('words', records.records(0, RECORDS));
    await first.engine.reader(index).query({ ...records.query('words'), topK: 1, filter: null });
    await until(() => savedFiles(index.id).length > 0, 'the file');
  }
  await first.engine.close();
  for (const name of savedFiles(EARLIER.id)) utimesSync(join(files(EARLIER.id), name), 1, 1);

  const second = new EngineClient(dataDir);
  test.after(() => second.engine.close());
  await second.engine.warmUp([EARLIER, LAST, EMPTY]);
  const metrics = async () =>
    (await second.engine.metrics([EARLIER, LAST, EMPTY])).indexes.map(({ records, structure }) => ({
      records,
      loaded: structure?.namespacesLoaded ?? 0,
    }));
  assert.deepEqual((await metrics())[1], { records: RECORDS, loaded: 1 });
  await until(async () => (await metrics())[0]?.records === RECORDS, 'the other one to be opened');
  assert.deepEqual((await metrics())[2], { records: null, loaded: 0 });
});

function numbered(number: number): IndexProfile {
  return { ...PROFILE, id: `5e1f0000-0000-4000-8000-00000000002${number}` };
}
