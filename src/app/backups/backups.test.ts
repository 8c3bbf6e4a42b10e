// Backups and restores.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { eventually, NEW_INDEX, OWNER, STRANGER } from '../indexes/testing/control-plane.ts';
import { BackupFixture, is, NO_LABELS, POD } from './testing/backup-fixture.ts';

describe('backups', () => {
  let fixture: BackupFixture;

  beforeEach(async () => {
    fixture = await BackupFixture.make();
  });

  afterEach(() => fixture.dispose());

  test('stores the content of the index with exact counts, and outlives the index', async () => {
    const begun = await fixture.server.backups.create(OWNER, 'books', {
      name: 'first',
      description: 'of all',
    });
    assert.deepEqual([begun.state, begun.name, begun.description], ['Initializing', 'first', 'of all']);
    const { state, recordCount, namespaceCount, sizeBytes, source } = await fixture.settled(begun.id);
    assert.deepEqual([state, recordCount, namespaceCount], ['Ready', 300, 1]);
    assert.equal(
      (await fixture.host.stored()).reduce((sum, { bytes }) => sum + bytes, 0),
      sizeBytes,
    );
    assert.deepEqual(source, fixture.index);
    await fixture.server.indexes.remove(OWNER, 'books');
    await eventually(async () => (await fixture.server.indexes.list(OWNER)).length === 0);
    const left = await fixture.server.backups.describe(OWNER, begun.id);
    assert.equal(left.state, 'Ready');
    assert.match(left.sourceDeletedAt ?? '', /^\d{4}-/);
    await fixture.server.backups.restore(OWNER, begun.id, { name: 'again' });
    await eventually(async () => (await fixture.server.indexes.describe(OWNER, 'again')).state === 'Ready');
  });

  test('restores an index that is Initializing, then Ready with every record and the requested tags and protection', async () => {
    const before = fixture.host.copies.stored.get(fixture.index.id);
    const backup = await fixture.readyBackup();
    fixture.host.write(fixture.index, 5, 'later');
    const job = await fixture.server.backups.restore(OWNER, backup.id, {
      name: 'copy',
      deletionProtection: 'enabled',
    });
    const { state, percent, input, finishedAt, subject } = await fixture.ended(job.id);
    assert.deepEqual([state, percent, subject], ['Completed', 100, backup.id]);
    assert.ok(finishedAt !== null);
    const copy = await fixture.server.indexes.describe(OWNER, 'copy');
    assert.equal(input.indexId, copy.id);
    assert.deepEqual(
      [copy.state, copy.tags, copy.deletionProtection, copy.dimension, copy.metric],
      ['Ready', { team: 'search' }, 'enabled', 3, 'cosine'],
    );
    assert.ok(copy.deployment.kind === 'serverless' && copy.deployment.sourceBackupId === backup.id);
    assert.equal(fixture.host.copies.stored.get(copy.id), before);
    await fixture.server.backups.restore(OWNER, backup.id, { name: 'bare', tags: {} });
    assert.deepEqual((await fixture.server.indexes.describe(OWNER, 'bare')).tags, {});
  });

  test('lets one of several restores into the same name win, and the others leave nothing', async () => {
    const backup = await fixture.readyBackup();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' })),
    );
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(lost.length, 4);
    assert.ok(lost.every(({ reason }) => is('name-taken')(reason)));
    await assert.rejects(
      fixture.server.backups.restore(OWNER, backup.id, { name: 'books' }),
      is('name-taken'),
    );
    await eventually(async () => (await fixture.server.indexes.describe(OWNER, 'copy')).state === 'Ready');
    assert.equal((await fixture.server.indexes.list(OWNER)).length, 2);
  });

  test('hides backups of other projects', async () => {
    const { id } = await fixture.readyBackup();
    await assert.rejects(fixture.server.backups.describe(STRANGER, id), is('backup-not-found'));
    await assert.rejects(fixture.server.backups.remove(STRANGER, id), is('backup-not-found'));
    await assert.rejects(
      fixture.server.backups.restore(STRANGER, id, { name: 'theirs' }),
      is('backup-not-found'),
    );
    assert.deepEqual((await fixture.server.backups.list(STRANGER, { limit: 9, after: null })).items, []);
    const job = await fixture.server.backups.restore(OWNER, id, { name: 'copy' });
    await assert.rejects(
      fixture.server.backups.describeRestore(STRANGER, job.id),
      is('restore-job-not-found'),
    );
  });

  test('refuses to delete a backup during a restore, and deletes it completely afterwards', async () => {
    const backup = await fixture.readyBackup();
    const hold = fixture.holdAt('import-piece');
    const job = await fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' });
    await hold.reached;
    await assert.rejects(fixture.server.backups.remove(OWNER, backup.id), (error) => {
      assert.ok(is('pending-restore-jobs')(error) && error instanceof Fault);
      assert.match(error.message, new RegExp(job.id));
      return true;
    });
    hold.release();
    await fixture.ended(job.id);
    await fixture.server.backups.remove(OWNER, backup.id);
    await assert.rejects(fixture.server.backups.describe(OWNER, backup.id), is('backup-not-found'));
    await eventually(async () => (await fixture.host.stored()).length === 0);
    assert.equal((await fixture.server.indexes.describe(OWNER, 'copy')).state, 'Ready');
  });

  test('refuses to restore a backup that is not Ready', async () => {
    const hold = fixture.holdAt('export-piece');
    const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
    await hold.reached;
    await assert.rejects(fixture.server.backups.restore(OWNER, id, { name: 'copy' }), is('backup-not-ready'));
    await assert.rejects(fixture.server.indexes.describe(OWNER, 'copy'), is('index-not-found'));
    hold.release();
    assert.equal((await fixture.settled(id)).state, 'Ready');
  });

  test('allows backups only of serverless indexes, and collections only of pods', async () => {
    await fixture.server.indexes.create(OWNER, POD);
    await assert.rejects(fixture.server.backups.create(OWNER, 'pods', NO_LABELS), is('invalid-argument'));
    await assert.rejects(fixture.server.collections.create(OWNER, 'c', 'books'), is('invalid-argument'));
    await assert.rejects(fixture.server.backups.create(OWNER, 'none', NO_LABELS), is('index-not-found'));
  });

  test('lists newest first and page by page, for one index and, on request, for deleted ones', async () => {
    await fixture.server.indexes.create(OWNER, { ...NEW_INDEX, name: 'maps' });
    const made: string[] = [];
    for (const source of ['books', 'books', 'maps']) {
      made.unshift(
        (await fixture.settled((await fixture.server.backups.create(OWNER, source, NO_LABELS)).id)).id,
      );
    }
    const first = await fixture.server.backups.list(OWNER, { limit: 2, after: null });
    const rest = await fixture.server.backups.list(OWNER, { limit: 2, after: first.next });
    assert.deepEqual(
      [...first.items, ...rest.items].map(({ id }) => id),
      made,
    );
    assert.equal(rest.next, null);
    const page = { limit: 10, after: null };
    const ofBooks = (includeDeleted: boolean) =>
      fixture.server.backups.listOf(OWNER, { indexName: 'books', includeDeleted }, page);
    assert.equal((await ofBooks(false)).items.length, 2);
    await fixture.server.indexes.remove(OWNER, 'books');
    await eventually(async () => (await fixture.server.indexes.list(OWNER)).length === 1);
    await assert.rejects(ofBooks(false), is('index-not-found'));
    assert.equal((await ofBooks(true)).items.length, 2);
  });
});
