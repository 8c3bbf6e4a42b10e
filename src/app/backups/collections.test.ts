// Collections against their promises.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { eventually, OWNER } from '../indexes/testing/control-plane.ts';
import { BackupScene, is, POD } from './testing/backup-fixture.ts';

describe('collections', () => {
  let scene: BackupScene;

  beforeEach(async () => {
    scene = await BackupScene.make();
  });

  afterEach(() => scene.dispose());

  test('a collection is made of pods, makes indexes, and keeps its source from being deleted meanwhile', async () => {
    const pods = await scene.server.indexes.create(OWNER, POD);
    scene.bed.write(pods, 40);
    const hold = scene.holdAt('export-piece');
    await scene.server.collections.create(OWNER, 'frozen', 'pods');
    await hold.reached;
    await assert.rejects(scene.server.indexes.remove(OWNER, 'pods'), (error) => {
      assert.ok(is('pending-collections')(error) && error instanceof Fault);
      assert.match(error.message, /pending collections for this index: \['frozen'\]/);
      return true;
    });
    await assert.rejects(scene.server.collections.create(OWNER, 'frozen', 'pods'), is('name-taken'));
    hold.release();
    await eventually(
      async () => (await scene.server.collections.describe(OWNER, 'frozen')).state === 'Ready',
    );
    await scene.server.indexes.remove(OWNER, 'pods');
    const deployment = { ...POD.deployment, podType: 's1.x1', sourceCollection: 'frozen' };
    const wanted = { ...POD, name: 'thawed', deployment };
    await assert.rejects(
      scene.server.collections.createIndex(OWNER, 'frozen', { ...wanted, dimension: 4 }),
      is('invalid-argument'),
    );
    assert.equal((await scene.server.collections.createIndex(OWNER, 'frozen', wanted)).state, 'Initializing');
    await eventually(async () => (await scene.server.indexes.describe(OWNER, 'thawed')).state === 'Ready');
    const thawed = await scene.server.indexes.describe(OWNER, 'thawed');
    assert.equal(scene.bed.copies.stored.get(thawed.id)?.split('\n').length, 40);
    assert.deepEqual((await scene.server.backups.listRestores(OWNER, { limit: 9, after: null })).items, []);
  });

  test('a collection that is deleted while an index is made of it lets it finish', async () => {
    await scene.server.indexes.create(OWNER, POD);
    await scene.server.collections.create(OWNER, 'frozen', 'pods');
    await eventually(
      async () => (await scene.server.collections.describe(OWNER, 'frozen')).state === 'Ready',
    );
    const hold = scene.holdAt('import-piece');
    const deployment = { ...POD.deployment, sourceCollection: 'frozen' };
    await scene.server.collections.createIndex(OWNER, 'frozen', { ...POD, name: 'thawed', deployment });
    await hold.reached;
    await scene.server.collections.remove(OWNER, 'frozen');
    assert.equal((await scene.server.collections.describe(OWNER, 'frozen')).state, 'Terminating');
    hold.release();
    await eventually(async () => (await scene.server.indexes.describe(OWNER, 'thawed')).state === 'Ready');
    await eventually(async () => (await scene.server.collections.list(OWNER)).length === 0);
    assert.deepEqual(await scene.bed.stored(), []);
  });
});
