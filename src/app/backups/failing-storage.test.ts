// Backups in storage that is damaged or fails, for a while or permanently.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BlobsUnavailable } from '../../blobs/port.ts';
import { inTime } from '../../platform/testing/until.ts';
import { eventually, OWNER, STRANGER } from '../indexes/testing/control-plane.ts';
import { partKey } from './archive-format.ts';
import { BackupFixture, is, NO_LABELS } from './testing/backup-fixture.ts';

const ALL = { limit: 100, after: null };
const DAY_MS = 86_400_000;

describe('backups on failing storage', () => {
  let fixture: BackupFixture;

  beforeEach(async () => {
    fixture = await BackupFixture.make();
  });

  afterEach(() => fixture.dispose());

  test('detects a damaged backup: the index never shows Ready, fails with InitializationFailed, and can be deleted', async () => {
    const backup = await fixture.readyBackup();
    const key = partKey(backup.id, 0);
    const whole = Buffer.concat(await Array.fromAsync(fixture.host.folder.get(key)));
    await fixture.host.folder.put(key, piece(whole.subarray(0, -3)));
    const job = await fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' });
    const { state, error, attempts } = await fixture.ended(job.id);
    assert.deepEqual([state, attempts], ['Failed', 1]);
    assert.match(error ?? '', /damaged/);
    const copy = await fixture.server.indexes.describe(OWNER, 'copy');
    assert.equal(copy.state, 'InitializationFailed');
    assert.equal(fixture.host.copies.stored.has(copy.id), false);
    await fixture.server.indexes.remove(OWNER, 'copy');
    await eventually(async () => (await fixture.server.indexes.list(OWNER)).length === 1);
    await fixture.server.backups.remove(OWNER, backup.id);
  });

  test('retries while storage fails for a time; when it fails permanently, the backup fails and leaves nothing', async () => {
    for (const [failures, state] of [
      [2, 'Ready'],
      [3, 'Failed'],
    ] as const) {
      let left = failures as number;
      await fixture.restartWith({
        put: (key, content, options) => {
          if (key.endsWith('manifest.json') && left-- > 0) throw new BlobsUnavailable('The disk is full.');
          return fixture.host.folder.put(key, content, options);
        },
      });
      const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
      assert.equal((await fixture.settled(id)).state, state);
      await eventually(async () => (await fixture.host.stored()).length === (state === 'Ready' ? 2 : 0));
      await fixture.server.backups.remove(OWNER, id);
      await eventually(async () => (await fixture.host.stored()).length === 0);
    }
  });

  test('says that a backup has failed, and why, while storage refuses to remove what is left of it', async () => {
    let isBroken = true;
    await fixture.restartWith({
      list: async (...given) => {
        if (isBroken) throw new BlobsUnavailable('The storage does not answer.');
        return fixture.host.folder.list(...given);
      },
    });
    const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
    const backup = await fixture.settled(id);
    assert.equal(backup.state, 'Failed');
    assert.equal(await fixture.server.backups.problemOf(backup), 'The storage does not answer.');
    isBroken = false;
    await eventually(async () => (await fixture.host.plane.catalog.jobs.active({})).length === 0);
  });

  test('deletes an index while storage refuses to remove what is left of its backup, which goes later', async () => {
    let isBroken = false;
    const refused = Promise.withResolvers<void>();
    await fixture.restartWith({
      list: async (...given) => {
        if (!isBroken) return fixture.host.folder.list(...given);
        refused.resolve();
        throw new BlobsUnavailable('The storage does not answer.');
      },
      put: async (key, content, ...rest) => {
        const isManifest = key.endsWith('manifest.json');
        if (!isManifest) return fixture.host.folder.put(key, content, ...rest);
        isBroken = true;
        throw new BlobsUnavailable('The storage does not answer.');
      },
    });
    const { server, host } = fixture;
    const { id } = await server.backups.create(OWNER, 'books', NO_LABELS);
    await inTime(refused.promise, 'the refusal');
    await server.indexes.remove(OWNER, 'books');
    await eventually(async () => (await server.indexes.list(OWNER)).length === 0);
    assert.ok((await host.stored()).length > 0);
    isBroken = false;
    await eventually(async () => (await host.stored()).length === 0);
    assert.equal((await fixture.settled(id)).state, 'Failed');
  });

  test('reports the schedules of a project with their last run, and why it failed', async () => {
    await fixture.restartWith({ put: () => Promise.reject(new BlobsUnavailable('The disk is full.')) });
    const { server, host } = fixture;
    const nightly = { name: 'nightly', frequency: 'daily', retentionDays: 7 } as const;
    const { id } = await server.schedules.create(OWNER, 'books', nightly);
    const reports = async (access = OWNER) => (await server.schedules.reports(access, ALL)).items;
    const [before] = await reports();
    assert.deepEqual([before?.schedule.id, before?.indexName, before?.lastRun], [id, 'books', null]);
    host.now = new Date(host.now.getTime() + DAY_MS);
    server.look();
    await eventually(async () => (await reports())[0]?.lastRun?.state === 'Failed');
    assert.match((await reports())[0]?.failure ?? '', /disk is full/);
    assert.deepEqual(await reports(STRANGER), []);
  });

  test('retries when storage fails during a restore; when it fails permanently, the index fails', async () => {
    const backup = await fixture.readyBackup();
    for (const [failures, state] of [
      [2, 'Ready'],
      [3, 'InitializationFailed'],
    ] as const) {
      let left = failures as number;
      await fixture.restartWith({
        get: async function* (key, range) {
          yield* fixture.host.folder.get(key, range);
          if (!key.endsWith('manifest.json') && left-- > 0)
            throw new BlobsUnavailable('The storage does not answer.');
        },
      });
      const name = `copy-${failures}`;
      const job = await fixture.server.backups.restore(OWNER, backup.id, { name });
      await fixture.ended(job.id);
      assert.equal((await fixture.server.indexes.describe(OWNER, name)).state, state);
    }
  });

  test('retries a removal until storage allows it', async () => {
    const { id } = await fixture.readyBackup();
    let left = 4;
    await fixture.restartWith({
      delete: async (key) => {
        if (left-- > 0) throw new BlobsUnavailable('The storage does not answer.');
        await fixture.host.folder.delete(key);
      },
    });
    await fixture.server.backups.remove(OWNER, id);
    await assert.rejects(fixture.server.backups.describe(OWNER, id), is('backup-not-found'));
    await eventually(async () => (await fixture.host.stored()).length === 0);
  });
});

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
