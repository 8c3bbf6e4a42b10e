// The lifecycle of indexes: one winner per name, no half-created index, no lost deletion.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault, type FaultName, fault } from '../../domain/faults.ts';
import { ControlPlane, eventually, NEW_INDEX, OWNER, STRANGER } from './testing/control-plane.ts';

const NEVER = new Promise<never>(() => undefined);

function is(condition: FaultName) {
  return (error: unknown): boolean => error instanceof Fault && error.condition === condition;
}

describe('index lifecycle', () => {
  let plane: ControlPlane;

  beforeEach(async () => {
    plane = await ControlPlane.make();
  });

  afterEach(() => plane.dispose());

  test('deletes an index that could not be filled, however protected', async () => {
    const indexes = await plane.start();
    const { id } = await indexes.provision(OWNER, { ...NEW_INDEX, deletionProtection: 'enabled' });
    await indexes.fail(id);
    await indexes.remove(OWNER, 'books');
    await eventually(async () => (await plane.catalog.indexes.list()).length === 0);
    assert.equal((await indexes.create(OWNER, NEW_INDEX)).state, 'Ready');
  });

  test('creates an index that is ready, stored, listening and found by its port', async () => {
    const indexes = await plane.start();
    const index = await indexes.create(OWNER, NEW_INDEX);
    assert.equal(index.state, 'Ready');
    assert.equal(indexes.hostOf(index), 'http://localhost:5081');
    assert.ok(plane.ports.open.has(5081));
    assert.deepEqual(indexes.directory.byPort(5081), index);
    assert.equal(indexes.directory.byPort(5082), undefined);
    assert.deepEqual(indexes.directory.profile(index.id), plane.engine.stored.get(index.id));
    assert.deepEqual(await plane.catalog.indexes.list(), [index]);
  });

  test('refuses a dimension beyond what the engine declares, and leaves the name free', async () => {
    const indexes = await plane.start();
    plane.engine.capabilities = { ...plane.engine.capabilities, dimensionMax: 8 };
    const refused = indexes.create(OWNER, { ...NEW_INDEX, dimension: 9 });
    await assert.rejects(refused, /dimension must be at most 8 on this server, got 9/);
    assert.equal((await indexes.create(OWNER, { ...NEW_INDEX, dimension: 8 })).state, 'Ready');
  });

  test('refuses a document index where the engine declares that it holds none', async () => {
    const indexes = await plane.start();
    plane.engine.capabilities = { ...plane.engine.capabilities, documents: false };
    const refused = indexes.create(OWNER, { ...NEW_INDEX, documents: { fields: {} } });
    await assert.rejects(refused, /holds no document indexes/);
    assert.equal((await indexes.create(OWNER, NEW_INDEX)).state, 'Ready');
  });

  test('lets exactly one of 100 concurrent creations of a name win', async () => {
    const indexes = await plane.start();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, () => indexes.create(OWNER, NEW_INDEX)),
    );
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(lost.length, 99);
    assert.ok(lost.every(({ reason }) => is('name-taken')(reason)));
    assert.equal(plane.engine.stored.size, 1);
    assert.equal(plane.ports.open.size, 1);
  });

  test('keeps indexes of the same name in different projects apart', async () => {
    const indexes = await plane.start();
    const own = await indexes.create(OWNER, NEW_INDEX);
    await assert.rejects(indexes.describe(STRANGER, 'books'), is('index-not-found'));
    await assert.rejects(indexes.configure(STRANGER, 'books', { tags: { a: 'b' } }), is('index-not-found'));
    await assert.rejects(indexes.remove(STRANGER, 'books'), is('index-not-found'));
    const other = await indexes.create(STRANGER, NEW_INDEX);
    assert.notEqual(other.id, own.id);
    assert.deepEqual(await indexes.list(OWNER), [own]);
    assert.deepEqual(await indexes.list(STRANGER), [other]);
  });

  test('shows a change that the catalog has made and failed to confirm, once it is told', async () => {
    let reread = () => Promise.resolve();
    let isLost = false;
    const indexes = await plane.start({
      catalog: plane.catalogBut({
        update: async (id, change) => {
          const changed = await plane.catalog.indexes.update(id, change);
          if (isLost) throw fault('database-unavailable', { reason: 'the connection was lost' });
          return changed;
        },
      }),
      foreign: {
        listen: (_, listener) => {
          reread = listener;
        },
      },
    });
    await indexes.create(OWNER, NEW_INDEX);
    isLost = true;
    const change = indexes.configure(OWNER, 'books', { deletionProtection: 'enabled' });
    await assert.rejects(change, is('database-unavailable'));
    isLost = false;
    await reread();
    assert.equal((await indexes.describe(OWNER, 'books')).deletionProtection, 'enabled');
  });

  test('ends a deletion that the catalog has begun and failed to confirm, once it is told', async () => {
    let reread = () => Promise.resolve();
    const indexes = await plane.start({
      catalog: plane.catalogBut({
        retire: async (id, admit) => {
          await plane.catalog.indexes.retire(id, admit);
          throw fault('database-unavailable', { reason: 'the connection was lost' });
        },
      }),
      foreign: {
        listen: (_, listener) => {
          reread = listener;
        },
      },
    });
    await indexes.create(OWNER, NEW_INDEX);
    await assert.rejects(indexes.remove(OWNER, 'books'), is('database-unavailable'));
    await reread();
    await eventually(async () => (await plane.catalog.indexes.list()).length === 0);
    assert.equal((await indexes.create(OWNER, NEW_INDEX)).state, 'Ready');
  });

  test('lists in name order', async () => {
    const indexes = await plane.start();
    for (const name of ['maps', 'atlas', 'books']) await indexes.create(OWNER, { ...NEW_INDEX, name });
    assert.deepEqual(
      (await indexes.list(OWNER)).map(({ name }) => name),
      ['atlas', 'books', 'maps'],
    );
  });

  test('lists a removed index as Terminating with its name taken, then removes it everywhere', async () => {
    const indexes = await plane.start();
    const index = await indexes.create(OWNER, NEW_INDEX);
    let drop = (): void => undefined;
    const dropping = new Promise<void>((resolve) => {
      drop = resolve;
    });
    plane.engine.before = () => dropping;
    await indexes.remove(OWNER, 'books');
    assert.equal((await indexes.describe(OWNER, 'books')).state, 'Terminating');
    await assert.rejects(indexes.create(OWNER, NEW_INDEX), is('name-taken'));
    await indexes.remove(OWNER, 'books');
    const configuring = indexes.configure(OWNER, 'books', { tags: { a: 'b' } });
    drop();
    await assert.rejects(configuring, is('index-not-found'));
    await eventually(() => indexes.directory.byPort(5081) === undefined);
    await assert.rejects(indexes.describe(OWNER, 'books'), is('index-not-found'));
    assert.equal(plane.engine.stored.size, 0);
    assert.deepEqual([...plane.ports.open], [5081], 'clients may still call it');
    assert.equal(indexes.directory.profile(index.id), undefined);
    assert.deepEqual(await plane.catalog.indexes.list(), []);
  });

  test('enforces deletion protection until it is disabled', async () => {
    const indexes = await plane.start();
    await indexes.create(OWNER, { ...NEW_INDEX, deletionProtection: 'enabled' });
    await assert.rejects(indexes.remove(OWNER, 'books'), is('deletion-protected'));
    await indexes.configure(OWNER, 'books', { deletionProtection: 'disabled' });
    await indexes.remove(OWNER, 'books');
  });

  test('reports a failed deletion and retries it until it succeeds', async () => {
    const indexes = await plane.start();
    await indexes.create(OWNER, NEW_INDEX);
    let attempts = 0;
    plane.engine.before = async () => {
      attempts += 1;
      if (attempts < 3) throw new Error('disk error');
    };
    await indexes.remove(OWNER, 'books');
    await eventually(async () => (await indexes.list(OWNER)).length === 0);
    assert.equal(plane.failures.length, 2);
  });

  test('leaves nothing and the name free when storage fails during a creation', async () => {
    const indexes = await plane.start();
    plane.engine.before = async (operation) => {
      if (operation === 'createIndex') throw new Error('disk error');
    };
    await assert.rejects(indexes.create(OWNER, NEW_INDEX), /disk error/);
    assert.deepEqual(await indexes.list(OWNER), []);
    assert.deepEqual(await plane.catalog.indexes.list(), []);
    assert.equal(plane.ports.open.size, 0);
    plane.engine.before = () => Promise.resolve();
    assert.equal((await indexes.create(OWNER, NEW_INDEX)).state, 'Ready');
  });

  test('undoes a failed creation in the background when it cannot be undone at once', async () => {
    const indexes = await plane.start();
    let failures = 3;
    plane.engine.before = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('disk error');
    };
    await assert.rejects(indexes.create(OWNER, NEW_INDEX), /disk error/);
    await eventually(async () => (await plane.catalog.indexes.list()).length === 0);
    await eventually(async () => (await indexes.list(OWNER)).length === 0);
  });

  for (const crashed of ['createIndex', 'dropIndex'] as const) {
    test(`leaves nothing after the next start when it crashes during ${crashed}`, async () => {
      const first = await plane.start();
      let reached = false;
      plane.engine.before = (operation) => {
        if (operation !== crashed) return Promise.resolve();
        reached = true;
        return NEVER;
      };
      const creating = first.create(OWNER, NEW_INDEX);
      if (crashed === 'dropIndex') {
        await creating;
        await first.remove(OWNER, 'books');
      }
      await eventually(() => reached);
      assert.equal((await plane.catalog.indexes.list()).length, 1);
      plane.crash();
      const second = await plane.start();
      await eventually(async () => (await second.list(OWNER)).length === 0);
      assert.deepEqual(await plane.catalog.indexes.list(), []);
      assert.equal(plane.engine.stored.size, 0);
      assert.deepEqual([...plane.ports.open], crashed === 'dropIndex' ? [5081] : []);
      assert.equal((await second.create(OWNER, NEW_INDEX)).state, 'Ready');
    });
  }

  for (const crashed of ['insert', 'update'] as const) {
    test(`leaves nothing after the next start when it crashes before the ${crashed} of a creation`, async () => {
      let reached = false;
      const first = await plane.start({
        catalog: plane.catalogBut({
          [crashed]: () => {
            reached = true;
            return NEVER;
          },
        }),
      });
      void first.create(OWNER, NEW_INDEX);
      await eventually(() => reached);
      plane.crash();
      const second = await plane.start();
      await eventually(async () => (await second.list(OWNER)).length === 0);
      assert.equal((await second.create(OWNER, NEW_INDEX)).state, 'Ready');
      assert.equal(plane.engine.stored.size, 1);
    });
  }

  test('keeps a name taken until its row can be deleted', async () => {
    let broken = true;
    const failing = async (id: string): Promise<void> => {
      if (broken) throw new Error('disk error');
      await plane.catalog.indexes.delete(id);
    };
    const indexes = await plane.start({ catalog: plane.catalogBut({ delete: failing }) });
    await indexes.create(OWNER, NEW_INDEX);
    await indexes.remove(OWNER, 'books');
    await eventually(() => plane.failures.length > 0);
    await assert.rejects(indexes.create(OWNER, NEW_INDEX), is('name-taken'));
    broken = false;
    await eventually(async () => (await indexes.list(OWNER)).length === 0);
    await indexes.create(OWNER, NEW_INDEX);
  });

  test('applies concurrent changes one after the other and loses none', async () => {
    const indexes = await plane.start();
    await indexes.create(OWNER, NEW_INDEX);
    await Promise.all(
      Array.from({ length: 15 }, (_, at) => indexes.configure(OWNER, 'books', { tags: { [`t${at}`]: 'x' } })),
    );
    assert.equal(Object.keys((await indexes.describe(OWNER, 'books')).tags).length, 15);
  });

  test('waits for a running creation before closing', async () => {
    const indexes = await plane.start();
    const creating = indexes.create(OWNER, NEW_INDEX);
    await indexes.close();
    assert.equal((await plane.catalog.indexes.list())[0]?.state, 'Ready');
    await creating;
  });
});
