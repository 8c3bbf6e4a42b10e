// Nodes and placements: one process has a lease, one node an index, and only its owner changes it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import type { NewJob } from '../../domain/jobs.ts';
import { SAMPLE_INDEX, seedProjects } from '../conformance/conformance-suite.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { openSqlite } from '../sqlite/open-catalog.ts';
import type { IndexTakeover, NodeLease } from './port.ts';

const NEVER = '2999-01-01T00:00:00.000Z';
const INDEX = { ...SAMPLE_INDEX, port: null };

const isElsewhere = (error: unknown) => error instanceof Fault && error.condition === 'index-elsewhere';

function lease(id: string, fields: Partial<NodeLease> = {}): NodeLease {
  const figures = { memoryFreeBytes: 1, diskFreeBytes: 2, leaseMs: 60_000, isHeld: false };
  return { id, incarnation: `${id}-1`, address: `http://${id}`, release: '1', ...figures, ...fields };
}

function job(id: string, fields: Partial<NewJob> = {}): NewJob {
  const { projectId } = INDEX;
  const about = { projectId, indexId: INDEX.id, subject: null, createdAt: INDEX.createdAt };
  return { id, kind: 'work', input: null, ...about, ...fields };
}

describe('nodes', () => {
  let one: SqlCatalog;
  let two: SqlCatalog;

  beforeEach(async () => {
    const db = await openSqlite({ path: ':memory:' });
    one = new SqlCatalog(db, { nodeId: 'one' });
    two = new SqlCatalog(db, { nodeId: 'two' });
    await seedProjects(one);
    for (const id of ['one', 'two']) assert.ok(await one.nodes.renew(lease(id)));
  });
  afterEach(() => one.close());

  const placed = async () => (await one.indexes.list())[0]?.placement;
  const ref = async (at = INDEX.id) => {
    const row = await one.nodes.placementOf(at);
    assert.ok(row);
    return row;
  };
  const claim = (catalog: SqlCatalog, owner: string) =>
    catalog.jobs.claim({ owner, kinds: ['work'], now: new Date().toISOString(), leaseUntil: NEVER });

  test('prolongs a lease without waiting for changes of others, and no other way for one that has ended', async () => {
    const db = await openSqlite({ path: ':memory:' });
    let isTaken = false;
    const inTurn = new Proxy(db, {
      get: (target, name) => {
        if (name === 'transaction' && isTaken) throw new Error('another change is under way');
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const catalog = new SqlCatalog(inTurn, { beside: db });
    assert.ok(await catalog.nodes.renew(lease('one', { isHeld: true })), 'the first one, in turn');
    isTaken = true;
    const held = { isHeld: true, memoryFreeBytes: 77 };
    assert.ok(await catalog.nodes.renew(lease('one', held)));
    assert.equal((await catalog.nodes.list())[0]?.memoryFreeBytes, 77);
    await assert.rejects(async () => catalog.nodes.renew(lease('one')), /another change/);
    await assert.rejects(
      async () => catalog.nodes.renew(lease('one', { ...held, incarnation: 'one-2' })),
      /another change/,
    );
    assert.ok(await catalog.nodes.renew(lease('one', { ...held, leaseMs: -1 })));
    await assert.rejects(
      async () => catalog.nodes.renew(lease('one', held)),
      /another change/,
      'it has ended',
    );
    isTaken = false;
    await catalog.close();
  });

  test('gives the lease of a node to one process, until it ends', async () => {
    assert.equal(await one.nodes.renew(lease('one', { incarnation: 'one-2' })), false);
    assert.ok(await one.nodes.renew(lease('one', { leaseMs: -1 })));
    assert.deepEqual(
      (await one.nodes.list()).map(({ id, isAlive }) => [id, isAlive]),
      [
        ['one', false],
        ['two', true],
      ],
    );
    assert.ok(await one.nodes.renew(lease('one', { incarnation: 'one-2' })));
    await one.nodes.leave({ id: 'one', incarnation: 'one-1' });
    assert.equal((await one.nodes.list())[0]?.isAlive, true, 'the earlier process ends nothing');
    await one.nodes.leave({ id: 'one', incarnation: 'one-2' });
    assert.equal((await one.nodes.list())[0]?.isAlive, false);
  });

  test('places an index at the node that stores it, and lets no other change it', async () => {
    await one.indexes.insert(INDEX);
    assert.deepEqual(await placed(), { nodeId: 'one', epoch: 1 });
    const changed = { ...INDEX, tags: {} };
    await assert.rejects(
      two.indexes.update(INDEX.id, () => changed),
      isElsewhere,
    );
    await assert.rejects(
      two.indexes.retire(INDEX.id, () => true),
      isElsewhere,
    );
    await assert.rejects(two.indexes.delete(INDEX.id), isElsewhere);
    await one.indexes.update(INDEX.id, () => changed);
    assert.equal((await one.nodes.list())[0]?.placed, 1);
    await one.indexes.delete(INDEX.id);
    assert.deepEqual(await one.nodes.placements(), []);
  });

  test('exchanges an index and its copy once, with the next epoch, and only as they were', async () => {
    await one.indexes.insert(INDEX);
    const copy = { nodeId: 'two', storageId: 'copied' };
    const before = await ref();
    const present = { ...before, storageId: INDEX.id };
    assert.equal(await one.nodes.exchange(present, copy), false, 'no copy yet');
    assert.ok(await one.nodes.beginCopy(before, copy));
    assert.equal(await one.nodes.beginCopy(before, { ...copy, storageId: 'another' }), false);
    assert.equal(await one.nodes.exchange(present, { ...copy, storageId: 'another' }), false);
    assert.equal(await one.nodes.exchange({ ...present, epoch: 2 }, copy), false);
    assert.ok(await one.nodes.exchange(present, copy));
    assert.equal(await one.nodes.exchange(present, copy), false);
    const [index] = await one.indexes.list();
    assert.deepEqual([index?.storageId, index?.placement], ['copied', { nodeId: 'two', epoch: 2 }]);
    assert.deepEqual((await ref()).copy, { nodeId: 'one', storageId: INDEX.id });
    await assert.rejects(
      one.indexes.update(INDEX.id, () => INDEX),
      isElsewhere,
    );
  });

  test('never lets a condemned copy answer, nor one of a node that is dead', async () => {
    await one.indexes.insert(INDEX);
    const copy = { nodeId: 'two', storageId: 'copied' };
    const present = { ...(await ref()), storageId: INDEX.id };
    assert.ok(await one.nodes.beginCopy(present, copy));
    assert.ok(await one.nodes.renew(lease('two', { leaseMs: -1 })));
    assert.equal(await one.nodes.exchange(present, copy), false);
    assert.ok(await one.nodes.renew(lease('two')));
    assert.equal(await two.nodes.condemnCopy(INDEX.id, { ...copy, storageId: INDEX.id }), false);
    assert.ok(await two.nodes.condemnCopy(INDEX.id, copy));
    assert.equal(await one.nodes.exchange(present, copy), false);
    await two.nodes.endCopy(INDEX.id, copy);
    assert.ok(await one.nodes.beginCopy(present, copy));
    assert.ok(await one.nodes.exchange(present, copy));
  });

  test('leaves the copy of an index that is deleted to the node that has it', async () => {
    await one.indexes.insert(INDEX);
    assert.ok(await one.nodes.beginCopy(await ref(), { nodeId: 'two', storageId: 'copied' }));
    await one.indexes.retire(INDEX.id, () => true);
    await one.indexes.delete(INDEX.id);
    assert.equal(await one.nodes.placementOf(INDEX.id), null);
    assert.deepEqual(await one.nodes.leftovers('one'), []);
    const [left, ...others] = await two.nodes.leftovers('two');
    assert.deepEqual([left?.storageId, left?.jobId, others], ['copied', null, []]);
    assert.ok(left && (await two.nodes.condemnLeftover(left)));
  });

  test('gives jobs to the node that has their index or assistant, and others to any', async () => {
    await one.indexes.insert(INDEX);
    await one.nodes.adopt(['assistant'], 'two');
    await one.jobs.insert(job('of-index'));
    await one.jobs.insert(job('of-assistant', { indexId: null, subject: 'assistant' }));
    await one.jobs.insert(job('of-nothing', { indexId: null, createdAt: NEVER }));
    assert.equal((await claim(two, 'b'))?.id, 'of-assistant');
    assert.equal((await claim(one, 'a'))?.id, 'of-index');
    assert.equal((await claim(two, 'b'))?.id, 'of-nothing');
    await one.jobs.insert(job('later'));
    assert.equal(await claim(two, 'b'), null);
    assert.equal(await two.jobs.nextDue(['work']), null, 'a runner would look again and again');
  });

  test('holds jobs back while an index is switched, and is not held while one has begun', async () => {
    await one.indexes.insert(INDEX);
    await one.jobs.insert(job('move', { kind: 'move' }));
    await one.jobs.insert(job('first'));
    assert.equal((await claim(one, 'a'))?.id, 'first');
    assert.equal(await one.nodes.hold(await ref(), 'move'), false);
    await one.jobs.release('first', 'a', { kind: 'completed' }, INDEX.createdAt);
    assert.ok(await one.nodes.hold(await ref(), 'move'));
    await one.jobs.insert(job('second'));
    assert.equal(await claim(one, 'a'), null);
    await one.nodes.release(INDEX.id);
    assert.equal((await claim(one, 'a'))?.id, 'second');
  });

  test('holds no index with a job that a stop has interrupted, which goes on where it began', async () => {
    await one.indexes.insert(INDEX);
    await one.jobs.insert(job('move', { kind: 'move' }));
    await one.jobs.insert(job('import'));
    assert.equal((await claim(one, 'a'))?.id, 'import');
    const stopped = { kind: 'again', dueAt: INDEX.createdAt, counts: false, error: null } as const;
    await one.jobs.release('import', 'a', stopped, INDEX.createdAt);
    assert.equal(await one.nodes.hold(await ref(), 'move'), false);
    assert.equal((await claim(one, 'a'))?.id, 'import');
    await one.jobs.release('import', 'a', { kind: 'completed' }, INDEX.createdAt);
    assert.ok(await one.nodes.hold(await ref(), 'move'));
  });

  test('runs a job that a stop has interrupted while its index is held', async () => {
    await one.indexes.insert(INDEX);
    await one.jobs.insert(job('import'));
    assert.ok(await one.nodes.hold(await ref(), 'import'));
    assert.equal(await claim(one, 'a'), null);
    await one.nodes.release(INDEX.id);
    await claim(one, 'a');
    const stopped = { kind: 'again', dueAt: INDEX.createdAt, counts: false, error: null } as const;
    await one.jobs.release('import', 'a', stopped, INDEX.createdAt);
    assert.ok(await one.nodes.hold(await ref(), 'import'));
    assert.notEqual(await one.jobs.nextDue(['work']), null);
    assert.equal((await claim(one, 'a'))?.id, 'import');
  });

  test('adopts what no node has, and forgets nodes that have nothing and are dead', async () => {
    const alone = new SqlCatalog(await openSqlite({ path: ':memory:' }));
    await seedProjects(alone);
    await alone.indexes.insert(INDEX);
    assert.deepEqual(await alone.nodes.unplaced(), [{ id: INDEX.id, storageId: INDEX.id }]);
    await alone.nodes.adopt([INDEX.id], 'one');
    await alone.nodes.adopt([INDEX.id], 'two');
    assert.deepEqual((await alone.nodes.placementOf(INDEX.id))?.nodeId, 'one');
    await alone.nodes.renew(lease('one'));
    assert.equal(await alone.nodes.forget('one'), false);
    await alone.nodes.leave(lease('one'));
    assert.equal(await alone.nodes.forget('one'), false, 'it has an index');
    await alone.indexes.delete(INDEX.id);
    assert.ok(await alone.nodes.forget('one'));
    await alone.close();
  });

  describe('takeovers', () => {
    const recover = { id: 'anew', kind: 'index-takeover' };
    const takeOver = async (fields: Partial<IndexTakeover> = {}) =>
      two.nodes.takeOverIndex({
        ref: await ref(),
        nodeId: 'two',
        storageId: 'new',
        withVectors: (index) => index,
        job: job(recover.id, { kind: recover.kind }),
        ...fields,
      });
    const die = () => one.nodes.leave({ id: 'one', incarnation: 'one-1' });

    beforeEach(() => one.indexes.insert({ ...INDEX, state: 'Ready' }));

    test('gives away nothing while its node is alive, and nothing to a node that is dead', async () => {
      assert.equal(await takeOver(), false);
      await die();
      await two.nodes.leave({ id: 'two', incarnation: 'two-1' });
      assert.equal(await takeOver(), false);
      assert.deepEqual(await placed(), { nodeId: 'one', epoch: 1 });
      assert.equal((await one.indexes.list())[0]?.state, 'Ready');
    });

    test('gives an index of a dead node to another once, with the next epoch, and its jobs fail', async () => {
      const before = await ref();
      for (const kind of ['work', 'index-move', 'restore']) await one.jobs.insert(job(kind, { kind }));
      assert.ok(await claim(one, 'runner of one'));
      await die();
      assert.ok(await takeOver());
      assert.equal(await takeOver({ ref: before }), false, 'the epoch of before');
      const [index] = await one.indexes.list();
      assert.deepEqual(index?.placement, { nodeId: 'two', epoch: 2 });
      assert.equal(index?.state, 'Initializing');
      assert.equal(index?.storageId, 'new');
      const states = await one.jobs.active({ indexId: INDEX.id });
      assert.deepEqual(states.map(({ kind, state }) => [kind, state]).toSorted(), [
        ['index-takeover', 'Pending'],
        ['work', 'Undoing'],
      ]);
      // Although the lease of the dead node's runner has not ended.
      assert.equal((await claim(two, 'runner of two'))?.state, 'Undoing');
      const left = await one.nodes.leftovers('one');
      assert.deepEqual(
        left.map(({ storageId, jobId }) => [storageId, jobId]),
        [[INDEX.id, null]],
      );
      assert.ok(left[0] && (await one.nodes.condemnLeftover(left[0])));
      await assert.rejects(
        one.indexes.update(INDEX.id, (index) => ({ ...index, state: 'Ready' })),
        isElsewhere,
        'a node that is back',
      );
    });

    test('has what a living node owns deleted by it alone, and what a dead one owned by any', async () => {
      const [index] = await one.indexes.list();
      assert.ok(index);
      await assert.rejects(
        two.indexes.retire(index.id, () => true),
        isElsewhere,
      );
      await die();
      const retired = await two.indexes.retire(index.id, () => true);
      assert.deepEqual(retired?.placement, { nodeId: 'two', epoch: 2 });
      assert.equal(retired?.state, 'Terminating');
      await two.indexes.delete(index.id);
      assert.deepEqual(await one.indexes.list(), []);
      assert.equal((await one.nodes.leftovers('one')).length, 1);
    });

    test('has the tags and the protection of what a dead node owns changed by any, and nothing else', async () => {
      const [index] = await one.indexes.list();
      assert.ok(index);
      const protect = (each: Index): Index => ({ ...each, deletionProtection: 'enabled', tags: { a: 'b' } });
      await assert.rejects(two.indexes.update(index.id, protect), isElsewhere);
      await die();
      const changed = await two.indexes.update(index.id, protect);
      assert.deepEqual(changed, { ...index, deletionProtection: 'enabled', tags: { a: 'b' } });
      assert.deepEqual(await placed(), { nodeId: 'one', epoch: 1 });
      await assert.rejects(
        two.indexes.update(index.id, (each) => ({ ...protect(each), state: 'ScalingUp' })),
        (error) => error instanceof Fault && error.condition === 'node-unavailable',
      );
      assert.deepEqual(await one.indexes.list(), [changed]);
    });

    test('forgets a dead node with what it has left', async () => {
      await die();
      assert.equal(await two.nodes.forget('one'), false, 'it has the index');
      assert.ok(await takeOver());
      assert.ok(await two.nodes.forget('one'));
      assert.deepEqual(await one.nodes.leftovers('one'), []);
    });

    test('removes no copy whose move is under way', async () => {
      await one.jobs.insert(job('a move', { kind: 'assistant-move' }));
      const chunks = { denseIndexId: 'dense', sparseIndexId: 'sparse' };
      await one.nodes.beginAssistantCopy({ nodeId: 'two', jobId: 'a move', ...chunks });
      const [leftover] = await two.nodes.leftovers('two');
      assert.ok(leftover);
      assert.equal(await two.nodes.condemnLeftover(leftover), false);
      await one.nodes.abandonCopies('a move');
      assert.ok(await two.nodes.condemnLeftover(leftover));
      await two.nodes.endLeftover(leftover);
      assert.equal((await two.nodes.leftovers('two')).length, 1);
    });
  });
});
