// Backups and restores whose process is killed, or whose index or backup is deleted, at each stage.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { backupToWire, restoreJobToWire } from '../../api/rest/backups/backup-wire.ts';
import { eventually, OWNER } from '../indexes/testing/control-plane.ts';
import { ARCHIVE_JOB } from './job-kinds.ts';
import { BackupFixture, NO_LABELS } from './testing/backup-fixture.ts';

/** As often as a job is tried. */
const KILLS = 3;
const ONE = { limit: 1, after: null };

describe('interrupted backups', () => {
  let fixture: BackupFixture;

  beforeEach(async () => {
    fixture = await BackupFixture.make();
  });

  afterEach(() => fixture.dispose());

  for (const stage of ['export', 'export-piece'] as const) {
    test(`leaves nothing of a backup that is deleted at ${stage}`, async () => {
      const hold = fixture.holdAt(stage);
      const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
      await hold.reached;
      await fixture.server.backups.remove(OWNER, id);
      hold.release();
      await eventually(async () => (await fixture.host.plane.catalog.archives.find(id)) === null);
      await eventually(async () => (await fixture.host.plane.catalog.jobs.active({})).length === 0);
      assert.deepEqual(await fixture.host.stored(), []);
      assert.equal(fixture.host.copies.openExports, 0);
    });

    test(`deletes an index at ${stage} of its backup, which has failed or is whole`, async () => {
      const hold = fixture.holdAt(stage);
      const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
      await hold.reached;
      await fixture.server.indexes.remove(OWNER, 'books');
      hold.release();
      await eventually(async () => (await fixture.server.indexes.list(OWNER)).length === 0);
      const { state, recordCount } = await fixture.settled(id);
      // The export may finish before the deletion reaches the data.
      assert.ok(state === 'Failed' || (state === 'Ready' && recordCount === 300), `${state}, ${recordCount}`);
      await eventually(async () => (await fixture.host.stored()).length === (state === 'Failed' ? 0 : 2));
    });

    test(`completes a backup after the next start when the process is killed at ${stage}`, async () => {
      const hold = fixture.holdAt(stage);
      const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
      await hold.reached;
      await fixture.killAndStart();
      const backup = await fixture.settled(id);
      assert.deepEqual([backup.state, backup.recordCount], ['Ready', 300]);
      assert.equal((await fixture.host.stored()).length, 2);
    });
  }

  for (const cause of ['its index was deleted', 'it was killed too often'] as const) {
    test(`keeps a ready backup whose process was killed before its job had ended, and is undone since ${cause}`, async () => {
      const { id } = await fixture.readyBackup();
      const { jobs, archives } = fixture.host.plane.catalog;
      const kind = ARCHIVE_JOB;
      const [job] = (await jobs.list({ projectId: OWNER.projectId, kind, subject: id }, ONE)).items;
      assert.ok(job !== undefined);
      await fixture.server.stop();
      // As if the end of the job had not been recorded.
      const again = await jobs.insert({ ...job, id: 'again' });
      const [now, leaseUntil] = [new Date().toISOString(), '2999-01-01T00:00:00.000Z'];
      for (let starts = 1; starts <= KILLS; starts++) {
        await jobs.claim({ owner: 'dead', kinds: [kind], now, leaseUntil });
        await jobs.releaseAll();
      }
      if (cause === 'its index was deleted') await jobs.cancel(again.id);
      await fixture.killAndStart();
      await eventually(async () => (await jobs.active({})).length === 0);
      assert.deepEqual(
        [(await archives.find(id))?.state, (await jobs.find(again))?.state],
        ['Ready', 'Completed'],
      );
      assert.equal((await fixture.host.stored()).length, 2);
    });
  }

  test('says why a backup has failed that the process was killed three times in', async () => {
    const hold = fixture.holdAt('export-piece');
    const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
    await hold.reached;
    for (let kills = 1; kills < KILLS; kills++) await (await fixture.killAndHoldAt('export-piece')).reached;
    await fixture.killAndStart();
    const backup = await fixture.settled(id);
    assert.equal(backup.state, 'Failed');
    const failure = await fixture.server.backups.problemOf(backup);
    assert.equal(failure, 'The server stopped 3 times while the job was running.');
    assert.equal(backupToWire(backup, '2025-10', failure).error, failure);
  });

  test('says why a restore has failed that the process was killed three times in', async () => {
    const { id } = await fixture.readyBackup();
    const hold = fixture.holdAt('import-piece');
    const job = await fixture.server.backups.restore(OWNER, id, { name: 'copy' });
    await hold.reached;
    for (let kills = 1; kills < KILLS; kills++) await (await fixture.killAndHoldAt('import-piece')).reached;
    await fixture.killAndStart();
    const { status, error } = restoreJobToWire(await fixture.ended(job.id));
    assert.deepEqual([status, error], ['Failed', 'The server stopped 3 times while the job was running.']);
  });

  for (const stage of ['before', 'after'] as const) {
    test(`completes a backup whose process is killed ${stage} its manifest is stored, and leaves nothing else`, async () => {
      const hold = fixture.holdPut('manifest.json', stage);
      await fixture.restartWith({ put: hold.put });
      const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
      await hold.reached;
      await fixture.killAndStart();
      assert.equal((await fixture.settled(id)).state, 'Ready');
      assert.equal((await fixture.host.stored()).length, 2);
    });
  }

  for (const stage of ['import', 'import-piece', 'import-end'] as const) {
    test(`fills an index after the next start when the process is killed at ${stage} of its restore`, async () => {
      const backup = await fixture.readyBackup();
      const hold = fixture.holdAt(stage);
      const job = await fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' });
      await hold.reached;
      await fixture.killAndStart();
      assert.equal((await fixture.ended(job.id)).state, 'Completed');
      const copy = await fixture.server.indexes.describe(OWNER, 'copy');
      assert.equal(copy.state, 'Ready');
      assert.equal(fixture.host.copies.stored.get(copy.id), fixture.host.copies.stored.get(fixture.index.id));
    });

    test(`deletes an index at ${stage} of its restore, and cancels the job`, async () => {
      const backup = await fixture.readyBackup();
      const hold = fixture.holdAt(stage);
      const job = await fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' });
      await hold.reached;
      await fixture.server.indexes.remove(OWNER, 'copy');
      hold.release();
      await eventually(async () => (await fixture.server.indexes.list(OWNER)).length === 1);
      // The restore may complete before the cancellation: then the index is deleted like any other.
      assert.ok(['Cancelled', 'Completed'].includes((await fixture.ended(job.id)).state));
      assert.deepEqual([...fixture.host.copies.stored.keys()], [fixture.index.id]);
    });
  }

  test('finishes a deletion after the next start when the process was killed during a restore', async () => {
    const backup = await fixture.readyBackup();
    const hold = fixture.holdAt('import-piece');
    const job = await fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' });
    await hold.reached;
    await fixture.server.indexes.remove(OWNER, 'copy');
    await fixture.killAndStart();
    await eventually(async () => (await fixture.server.indexes.list(OWNER)).length === 1);
    // Failed when it is resumed before the deletion cancels it.
    assert.ok(['Cancelled', 'Failed'].includes((await fixture.ended(job.id)).state));
    assert.deepEqual([...fixture.host.copies.stored.keys()], [fixture.index.id]);
  });

  for (const stage of ['export-piece', 'import-piece'] as const) {
    test(`publishes nothing of a run at ${stage} whose job another process has taken`, async () => {
      const { host, server } = fixture;
      const { jobs, archives } = host.plane.catalog;
      const isBackup = stage === 'export-piece';
      const backup = isBackup ? null : await fixture.readyBackup();
      const hold = fixture.holdAt(stage);
      if (backup === null) await server.backups.create(OWNER, 'books', NO_LABELS);
      else await server.backups.restore(OWNER, backup.id, { name: 'copy' });
      await hold.reached;
      const [job] = await jobs.active({});
      assert.ok(job !== undefined);
      const later = new Date(Date.now() + 3_600_000).toISOString();
      const leaseUntil = '2999-01-01T00:00:00.000Z';
      const taken = await jobs.claim({ owner: 'other', kinds: [job.kind], now: later, leaseUntil });
      assert.equal(taken?.id, job.id);
      // A part that is on its way when the run hears of it is none without a manifest.
      const published = async () => (await host.stored()).filter(({ key }) => !/\/part-\d+$/.test(key));
      const before = await published();
      hold.release();
      await server.jobs.decided(job.id);
      assert.deepEqual(await published(), before);
      if (isBackup) assert.equal((await archives.find(job.subject ?? ''))?.state, 'Initializing');
      else assert.equal((await server.indexes.describe(OWNER, 'copy')).state, 'Initializing');
    });
  }

  test('keeps later writes to an index that was filled before the process was killed', async () => {
    const backup = await fixture.readyBackup();
    const { catalog } = fixture.host.plane;
    const job = await fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' });
    await fixture.ended(job.id);
    const copy = await fixture.server.indexes.describe(OWNER, 'copy');
    fixture.host.write(copy, 3, 'written since');
    // As if the end of the job had not been recorded.
    await catalog.jobs.insert({ ...job, id: 'again', input: job.input });
    fixture.server.jobs.wake();
    assert.equal((await fixture.ended('again')).state, 'Completed');
    assert.match(fixture.host.copies.stored.get(copy.id) ?? '', /^written since/);
  });
});
