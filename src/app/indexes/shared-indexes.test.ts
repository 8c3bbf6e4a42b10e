// The lifecycle of indexes that several nodes share: each takes the changes of the others into account.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Catalog } from '../../catalog/port.ts';
import { Fault, type FaultName } from '../../domain/faults.ts';
import type { OpenIndexLifecycle } from './index-lifecycle.ts';
import { ControlPlane, eventually, NEW_INDEX, OWNER } from './testing/control-plane.ts';

function is(condition: FaultName) {
  return (error: unknown): boolean => error instanceof Fault && error.condition === condition;
}

describe('indexes', () => {
  let plane: ControlPlane;

  beforeEach(async () => {
    plane = await ControlPlane.make();
  });

  afterEach(() => plane.dispose());

  describe('of two nodes that share them', () => {
    const SHARED = { changes: { listen: () => undefined }, hosts: () => 'http://books', portRange: null };

    /** Neither hears of what the other one does. */
    async function startTwo() {
      const one = await plane.start(SHARED);
      await one.create(OWNER, NEW_INDEX);
      return { one, two: await plane.start(SHARED) };
    }

    test('loses no change that both make of one index', async () => {
      const { one, two } = await startTwo();
      const [, tagged] = await Promise.all([
        one.configure(OWNER, 'books', { deletionProtection: 'enabled' }),
        two.configure(OWNER, 'books', { tags: { team: 'search' } }),
      ]);
      assert.deepEqual(tagged.tags, { team: 'search' });
      const [stored] = await plane.catalog.indexes.list();
      assert.deepEqual([stored?.deletionProtection, stored?.tags], ['enabled', { team: 'search' }]);
    });

    test('deletes no index that the other one has protected', async () => {
      const { one, two } = await startTwo();
      await one.configure(OWNER, 'books', { deletionProtection: 'enabled' });
      await assert.rejects(two.remove(OWNER, 'books'), is('deletion-protected'));
      assert.equal((await plane.catalog.indexes.list())[0]?.state, 'Ready');
    });

    test('changes no index that the other one is deleting or has deleted', async () => {
      const { one, two } = await startTwo();
      const change = () => two.configure(OWNER, 'books', { tags: { team: 'search' } });
      let drop = (): void => undefined;
      const dropping = new Promise<void>((resolve) => {
        drop = resolve;
      });
      plane.engine.before = () => dropping;
      await one.remove(OWNER, 'books');
      await assert.rejects(change(), is('index-not-found'));
      assert.equal((await plane.catalog.indexes.list())[0]?.state, 'Terminating');
      drop();
      await eventually(async () => (await plane.catalog.indexes.list()).length === 0);
      await assert.rejects(change(), is('index-not-found'));
      await assert.rejects(two.remove(OWNER, 'books'), is('index-not-found'));
      assert.deepEqual(await plane.catalog.indexes.list(), []);
    });

    test('makes no index ready that the other one has begun to delete', async () => {
      const one = await plane.start(SHARED);
      let two: OpenIndexLifecycle | undefined;
      plane.engine.before = async (operation) => {
        if (operation !== 'createIndex') return;
        two = await plane.start(SHARED);
        await two.remove(OWNER, 'books');
      };
      await assert.rejects(one.create(OWNER, NEW_INDEX), is('index-not-found'));
      await eventually(async () => (await plane.catalog.indexes.list()).length === 0);
      assert.equal(plane.engine.stored.size, 0);
    });
  });

  describe('of a node that hears of the changes of others', () => {
    const LATER_MS = 60;
    const JOB = { id: 'job', kind: 'restore', projectId: OWNER.projectId, subject: 's', input: {} };
    const SHARED = { changes: { listen: () => undefined }, hosts: () => 'http://books', portRange: null };
    const isGone = async () => (await plane.catalog.indexes.list()).length === 0;
    let told = () => Promise.resolve();

    /** An index that another node has begun to create, and a node that knows of it. */
    async function startBeside(
      replaced: Partial<Catalog['indexes']> = {},
      before: (id: string) => Promise<void> = () => Promise.resolve(),
    ) {
      const { id } = await (await plane.start(SHARED)).provision(OWNER, NEW_INDEX);
      await before(id);
      const two = await plane.start({
        ...SHARED,
        ...{ takeoverMilliseconds: LATER_MS, catalog: plane.catalogBut(replaced) },
        changes: {
          listen: (_, listener) => {
            told = listener;
          },
        },
      });
      return { id, two };
    }

    test('removes what another node has left, however often something changes', async () => {
      await startBeside();
      await eventually(async () => {
        await told();
        return isGone();
      });
    });

    test('leaves what is being filled, or has become ready since it heard of it', async () => {
      let decided = 0;
      const { id, two } = await startBeside(
        {
          endUnfilled: async (indexId) => {
            const index = await plane.catalog.indexes.endUnfilled(indexId);
            decided++;
            return index;
          },
        },
        async (indexId) => {
          await plane.catalog.jobs.insert({ ...JOB, indexId, createdAt: new Date().toISOString() });
        },
      );
      await eventually(() => decided >= 2);
      assert.equal((await plane.catalog.indexes.list())[0]?.state, 'Initializing');
      await plane.catalog.indexes.update(id, (index) => ({ ...index, state: 'Ready' }));
      await eventually(async () => (await two.describe(OWNER, 'books')).state === 'Ready');
      assert.equal((await plane.catalog.indexes.list())[0]?.state, 'Ready');
      assert.deepEqual(plane.failures, []);
    });

    test('keeps an index that it creates while it reads what the others have', async () => {
      let list = () => plane.catalog.indexes.list();
      const { two } = await startBeside({ list: () => list() });
      let isRead = () => {};
      const reading = new Promise<void>((resolve) => {
        isRead = resolve;
      });
      let create = () => {};
      const created = new Promise<void>((resolve) => {
        create = resolve;
      });
      list = async () => {
        const older = await plane.catalog.indexes.list();
        list = () => plane.catalog.indexes.list();
        isRead();
        await created;
        return older;
      };
      const refreshed = told();
      await reading;
      const { id } = await two.create(OWNER, { ...NEW_INDEX, name: 'maps' });
      create();
      await refreshed;
      assert.equal(two.byId(id)?.state, 'Ready');
    });
  });
});
