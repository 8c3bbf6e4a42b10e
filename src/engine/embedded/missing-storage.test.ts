// An index without files on the disk: requests fail with a clear error, and nothing refuses it once the files are there.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { assertFault } from '../conformance/harness.ts';
import { dense, sampleProfile } from '../conformance/sample-data.ts';
import { indexFolder } from './storage/index-files.ts';
import { EngineClient } from './testing/engine-client.ts';
import { tempFolder } from './testing/temp-folder.ts';
import { withoutPermission } from './testing/without-permission.ts';

const PROFILE = sampleProfile();
const A = dense('a', [1, 0, 0, 0]);

function start(test: TestContext, dataDir = tempFolder(test)) {
  const client = new EngineClient(dataDir);
  test.after(() => client.engine.close());
  const { engine } = client;
  const damage = async () => (await engine.metrics([PROFILE])).indexes.map((index) => index.damage.isClosed);
  return { client, engine, dataDir, damage, folder: indexFolder(dataDir, PROFILE.id) };
}

it('answers 503 for an index that has no files, makes none, and serves it once it is created', async (test) => {
  const { client, engine, damage, folder } = start(test);
  const reads = () => engine.reader(PROFILE).fetch('', ['a']);
  for (const call of [reads, reads, () => engine.writer(PROFILE).upsert('', [A])])
    await assertFault('storage-missing', call());
  // As every fault that a thread throws; the server renders it.
  const query = { body: { vector: [1, 0, 0, 0], topK: 1 } };
  await assertFault('storage-missing', client.call(PROFILE, 'query_vectors', query));
  assert.ok(!existsSync(folder));
  assert.deepEqual(await damage(), [true], 'metrics tell it');
  await engine.createIndex(PROFILE);
  await engine.writer(PROFILE).upsert('', [A]);
  assert.equal((await reads()).length, 1);
  assert.deepEqual(await damage(), [false]);
});

it('serves an index as soon as its lost folder is back', async (test) => {
  const first = start(test);
  await first.engine.createIndex(PROFILE);
  await first.engine.writer(PROFILE).upsert('', [A]);
  await first.engine.close();
  renameSync(first.folder, `${first.folder}.aside`);
  const { engine, folder, damage } = start(test, first.dataDir);
  await assertFault('storage-missing', engine.reader(PROFILE).fetch('', ['a']));
  renameSync(`${folder}.aside`, folder);
  assert.equal((await engine.reader(PROFILE).fetch('', ['a'])).length, 1);
  assert.deepEqual(await damage(), [false]);
});

for (const target of ['', 'records.mdb', 'rows.f32'])
  it(`answers 503 with the reason while its user may not use ${target || 'the folder'}, and serves it afterwards`, {
    skip: process.platform === 'win32',
  }, async (test) => {
    const first = start(test);
    await first.engine.createIndex(PROFILE);
    await first.engine.writer(PROFILE).upsert('', [A]);
    await first.engine.close();
    const { engine, folder, dataDir, damage } = start(test, first.dataDir);
    // Its threads have loaded what they run.
    await assertFault('storage-missing', engine.reader({ ...PROFILE, id: 'another' }).fetch('', ['a']));
    const warned = once(process, 'warning');
    await withoutPermission(join(folder, target), dataDir, async () => {
      for (const call of [
        () => engine.reader(PROFILE).fetch('', ['a']),
        () => engine.writer(PROFILE).upsert('', [A]),
        () => engine.reader(PROFILE).fetch('', ['a']),
      ])
        await assert.rejects(
          call,
          (error) =>
            error instanceof Fault && error.condition === 'storage-full' && /EACCES/.test(error.message),
        );
      assert.deepEqual(await damage(), [false]);
    });
    const [{ message, indexId }] = await warned;
    assert.match(message, /permission denied/i);
    assert.equal(indexId, PROFILE.id);
    assert.equal((await engine.reader(PROFILE).fetch('', ['a'])).length, 1);
  });

it('takes a folder without records for damage', async (test) => {
  const first = start(test);
  await first.engine.createIndex(PROFILE);
  await first.engine.close();
  rmSync(`${first.folder}/records.mdb`);
  const { engine, damage } = start(test, first.dataDir);
  await assertFault('index-damaged', engine.reader(PROFILE).fetch('', ['a']));
  assert.deepEqual(await damage(), [true]);
});
