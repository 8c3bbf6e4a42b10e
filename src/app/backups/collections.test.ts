// Collections.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { eventually, OWNER } from '../indexes/testing/control-plane.ts';
import { BackupFixture, is, POD } from './testing/backup-fixture.ts';

describe('collections', () => {
  let fixture: BackupFixture;

  beforeEach(async () => {
    fixture = await BackupFixture.make();
  });

  afterEach(() => fixture.dispose());

  test('archives a pod index, creates indexes, and prevents the deletion of its source meanwhile', async () => {
    const pods = await fixture.server.indexes.create(OWNER, POD);
    fixture.host.write(pods, 40);
    const hold = fixture.holdAt('export-piece');
    await fixture.server.collections.create(OWNER, 'frozen', 'pods');
    await hold.reached;
    await assert.rejects(fixture.server.indexes.remove(OWNER, 'pods'), (error) => {
      assert.ok(is('pending-collections')(error) && error instanceof Fault);
      assert.match(error.message, /pending collections for this index: \['frozen'\]/);
      return true;
    });
    await assert.rejects(fixture.server.collections.create(OWNER, 'frozen', 'pods'), is('name-taken'));
    hold.release();
    await eventually(
      async () => (await fixture.server.collections.describe(OWNER, 'frozen')).state === 'Ready',
    );
    await fixture.server.indexes.remove(OWNER, 'pods');
    const deployment = { ...POD.deployment, podType: 's1.x1', sourceCollection: 'frozen' };
    const requested = { ...POD, name: 'thawed', deployment };
    await assert.rejects(
      fixture.server.collections.createIndex(OWNER, 'frozen', { ...requested, dimension: 4 }),
      is('invalid-argument'),
    );
    assert.equal(
      (await fixture.server.collections.createIndex(OWNER, 'frozen', requested)).state,
      'Initializing',
    );
    await eventually(async () => (await fixture.server.indexes.describe(OWNER, 'thawed')).state === 'Ready');
    const thawed = await fixture.server.indexes.describe(OWNER, 'thawed');
    assert.equal(fixture.host.copies.stored.get(thawed.id)?.split('\n').length, 40);
    assert.deepEqual((await fixture.server.backups.listRestores(OWNER, { limit: 9, after: null })).items, []);
  });

  test('creates no index whose filters could not use the field by which its records expire', async () => {
    const timeToLive = { field: 'expires_at', seconds: 60, namespaces: {} };
    fixture.host.write(await fixture.server.indexes.create(OWNER, { ...POD, timeToLive }), 1);
    await fixture.server.collections.create(OWNER, 'frozen', 'pods');
    await eventually(
      async () => (await fixture.server.collections.describe(OWNER, 'frozen')).state === 'Ready',
    );
    const create = (name: string, metadataIndexed: readonly string[]) => {
      const deployment = { ...POD.deployment, metadataIndexed, sourceCollection: 'frozen' };
      return fixture.server.collections.createIndex(OWNER, 'frozen', { ...POD, name, deployment });
    };
    await assert.rejects(create('blind', ['year']), is('invalid-argument'));
    assert.deepEqual((await create('sighted', ['year', 'expires_at'])).timeToLive, timeToLive);
  });

  test('lets a running restore finish when the collection is deleted', async () => {
    await fixture.server.indexes.create(OWNER, POD);
    await fixture.server.collections.create(OWNER, 'frozen', 'pods');
    await eventually(
      async () => (await fixture.server.collections.describe(OWNER, 'frozen')).state === 'Ready',
    );
    const hold = fixture.holdAt('import-piece');
    const deployment = { ...POD.deployment, sourceCollection: 'frozen' };
    await fixture.server.collections.createIndex(OWNER, 'frozen', { ...POD, name: 'thawed', deployment });
    await hold.reached;
    await fixture.server.collections.remove(OWNER, 'frozen');
    assert.equal((await fixture.server.collections.describe(OWNER, 'frozen')).state, 'Terminating');
    hold.release();
    await eventually(async () => (await fixture.server.indexes.describe(OWNER, 'thawed')).state === 'Ready');
    await eventually(async () => (await fixture.server.collections.list(OWNER)).length === 0);
    assert.deepEqual(await fixture.host.stored(), []);
  });
});
