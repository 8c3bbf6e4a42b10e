// What was in memory before a restart is there again before the first request.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { bytesToRestore } from '../indexing/bytes-to-restore.ts';
import { SegmentFiles } from '../indexing/segment-files.ts';
import { indexFolder } from '../storage/index-files.ts';
import { EngineClient } from '../testing/engine-client.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ dimension: 8, metric: 'dotproduct' });
const LAST = numbered(1);
const EARLIER = numbered(2);
const EMPTY = numbered(3);
const DAMAGED = numbered(4);
/** Enough for a derived file, because the records have sparse vectors. */
const RECORDS = 2_100;

it('loads the index that was saved last, and opens the others that were saved', async (test) => {
  const dataDir = tempFolder(test);
  await save(dataDir, [EARLIER, LAST]);
  const { figures } = await warmUp(test, dataDir, [EARLIER, LAST, EMPTY]);
  assert.deepEqual((await figures())[1], { records: RECORDS, loaded: 1 });
  await until(async () => (await figures())[0]?.records === RECORDS, 'the other one to be opened');
  assert.deepEqual((await figures())[2], { records: null, loaded: 0 });
});

it('opens the index that was saved last, though it takes more than half of the memory', async (test) => {
  const dataDir = tempFolder(test);
  await save(dataDir, [LAST]);
  const bytes = bytesToRestore(join(derivedFolder(dataDir, LAST), '1.0.segment'));
  const { figures } = await warmUp(test, dataDir, [LAST], { bytesMax: Math.ceil(bytes * 1.9) });
  // Namespaces with graphs are loaded then; this one is not worth it.
  await until(async () => (await figures())[0]?.records === RECORDS, 'the index to be opened');
});

it('opens the other indexes, though the files of one are damaged', async (test) => {
  const dataDir = tempFolder(test);
  await save(dataDir, [EARLIER, DAMAGED, LAST]);
  rmSync(join(indexFolder(dataDir, DAMAGED.id), 'rows.f32'));
  const { figures } = await warmUp(test, dataDir, [EARLIER, DAMAGED, LAST]);
  await until(async () => (await figures())[0]?.records === RECORDS, 'the last one to be opened');
});

/** Makes indexes that have a saved namespace each, the last of them last. */
async function save(dataDir: string, indexes: readonly IndexProfile[]): Promise<void> {
  const records = new RandomRecords(PROFILE, 1);
  const { engine } = new EngineClient(dataDir);
  const savedFiles = (index: IndexProfile) => {
    const folder = derivedFolder(dataDir, index);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => SegmentFiles.namespaceOf(name)).map((name) => join(folder, name));
  };
  for (const index of indexes) {
    await engine.createIndex(index);
    await engine.writer(index).upsert('words', records.records(0, RECORDS));
    await engine.reader(index).query({ ...records.query('words'), topK: 1, filter: null });
    await until(() => savedFiles(index).length > 0, 'the file');
  }
  await engine.close();
  for (const [at, index] of indexes.entries())
    for (const path of savedFiles(index)) utimesSync(path, at + 1, at + 1);
}

async function warmUp(
  test: TestContext,
  dataDir: string,
  indexes: readonly IndexProfile[],
  memory?: { readonly bytesMax: number },
) {
  const { engine } = new EngineClient(dataDir, memory && { memory });
  test.after(() => engine.close());
  await engine.warmUp(indexes);
  const figures = async () =>
    (await engine.metrics(indexes)).indexes.map(({ records, structure }) => ({
      records,
      loaded: structure?.namespacesLoaded ?? 0,
    }));
  return { figures };
}

function derivedFolder(dataDir: string, { id }: IndexProfile): string {
  return SegmentFiles.folderIn(indexFolder(dataDir, id));
}

function numbered(number: number): IndexProfile {
  return { ...PROFILE, id: `5e1f0000-0000-4000-8000-00000000002${number}` };
}
