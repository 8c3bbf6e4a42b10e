// Backups over storage that is damaged, breaks for a while, or for good.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BlobsUnavailable } from '../../blobs/port.ts';
import { eventually, OWNER } from '../indexes/testing/control-plane.ts';
import { partKey } from './archive-format.ts';
import { BackupScene, is, NO_LABELS } from './testing/backup-fixture.ts';

describe('backups on failing storage', () => {
  let scene: BackupScene;

  beforeEach(async () => {
    scene = await BackupScene.make();
  });

  afterEach(() => scene.dispose());

  test('a damaged backup is noticed: the index never shows Ready, says InitializationFailed, and can be deleted', async () => {
    const backup = await scene.readyBackup();
    const key = partKey(backup.id, 0);
    const whole = Buffer.concat(await Array.fromAsync(scene.bed.folder.get(key)));
    await scene.bed.folder.put(key, piece(whole.subarray(0, -3)));
    const job = await scene.server.backups.restore(OWNER, backup.id, { name: 'copy' });
    const { state, error, attempts } = await scene.ended(job.id);
    assert.deepEqual([state, attempts], ['Failed', 1]);
    assert.match(error ?? '', /damaged/);
    const copy = await scene.server.indexes.describe(OWNER, 'copy');
    assert.equal(copy.state, 'InitializationFailed');
    assert.equal(scene.bed.copies.stored.has(copy.id), false);
    await scene.server.indexes.remove(OWNER, 'copy');
    await eventually(async () => (await scene.server.indexes.list(OWNER)).length === 1);
    await scene.server.backups.remove(OWNER, backup.id);
  });

  test('storage that fails for a while is tried again; for good, the backup has failed and leaves nothing', async () => {
    for (const [failures, state] of [
      [2, 'Ready'],
      [3, 'Failed'],
    ] as const) {
      let left = failures as number;
      await scene.restartWith({
        put: (key, content, options) => {
          if (key.endsWith('manifest.json') && left-- > 0) throw new BlobsUnavailable('The disk is full.');
          return scene.bed.folder.put(key, content, options);
        },
      });
      const { id } = await scene.server.backups.create(OWNER, 'books', NO_LABELS);
      assert.equal((await scene.settled(id)).state, state);
      assert.equal((await scene.bed.stored()).length, state === 'Ready' ? 2 : 0);
      await scene.server.backups.remove(OWNER, id);
      await eventually(async () => (await scene.bed.stored()).length === 0);
    }
  });

  test('a storage that breaks in the middle of a restore is tried again; for good, the index has failed', async () => {
    const backup = await scene.readyBackup();
    for (const [failures, state] of [
      [2, 'Ready'],
      [3, 'InitializationFailed'],
    ] as const) {
      let left = failures as number;
      await scene.restartWith({
        get: async function* (key, range) {
          yield* scene.bed.folder.get(key, range);
          if (!key.endsWith('manifest.json') && left-- > 0)
            throw new BlobsUnavailable('The storage does not answer.');
        },
      });
      const name = `copy-${failures}`;
      const job = await scene.server.backups.restore(OWNER, backup.id, { name });
      await scene.ended(job.id);
      assert.equal((await scene.server.indexes.describe(OWNER, name)).state, state);
    }
  });

  test('storage that cannot be cleared keeps its word later: a removal is tried until it is done', async () => {
    const { id } = await scene.readyBackup();
    let left = 4;
    await scene.restartWith({
      delete: async (key) => {
        if (left-- > 0) throw new BlobsUnavailable('The storage does not answer.');
        await scene.bed.folder.delete(key);
      },
    });
    await scene.server.backups.remove(OWNER, id);
    await assert.rejects(scene.server.backups.describe(OWNER, id), is('backup-not-found'));
    await eventually(async () => (await scene.bed.stored()).length === 0);
  });
});

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
