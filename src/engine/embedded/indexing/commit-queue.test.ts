// Waiting writes share a commit, and none fails because of another.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Fault, fault } from '../../../domain/faults.ts';
import { dense } from '../../conformance/sample-data.ts';
import { RecordStore } from '../storage/record-store.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { CommitQueue, storageFault, type Turns } from './commit-queue.ts';
import { DerivedLedger } from './derived-ledger.ts';
import { ListedFields } from './listed-fields.ts';
import { upsertRecords } from './operations.ts';
import { WriteTransaction } from './write-transaction.ts';

const TURN_MS = 10;

/** A queue on a store, as the index's writer has it; `commits` counts those that succeeded. */
function setUp(test: TestContext) {
  const store = new RecordStore(join(tempFolder(test), 'records.mdb'));
  test.after(() => store.close());
  const state = { store, commits: 0, sizes: [] as number[], failing: null as Error | null, nowMs: 0 };
  const turns: Turns = {
    take: (turn) => void setImmediate(turn),
    msMax: () => TURN_MS,
    now: () => state.nowMs,
  };
  const queue = new CommitQueue((steps) => {
    store.env.transactionSync(() => {
      const txn = new WriteTransaction(store, {
        reusableSeq: 0,
        dimension: 2,
        fields: new ListedFields(store),
        derived: new DerivedLedger(store).change(),
      });
      const before = txn.seq;
      steps(txn);
      txn.finish();
      if (state.failing !== null) throw state.failing;
      state.sizes.push(txn.seq - before);
    });
    state.commits++;
  }, turns);
  return { ...state, state, queue };
}

const put = (id: string) => (txn: WriteTransaction) => upsertRecords(txn, '', [dense(id, [1, 2])]);

function idsIn(store: RecordStore, namespace = ''): string[] {
  const space = store.namespaces.get(namespace);
  return space === null ? [] : [...store.records.listIds(space.namespaceId, '', null)].map(({ id }) => id);
}

it('commits waiting operations together, numbers them in order and answers them in order', async (test) => {
  const { state, queue } = setUp(test);
  const order: number[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, async (_, i) => {
      const outcome = await queue.submit((txn) => {
        put(`id${i}`)(txn);
        return i;
      });
      order.push(i);
      return outcome;
    }),
  );
  assert.equal(state.commits, 1);
  assert.deepEqual(
    outcomes,
    Array.from({ length: 10 }, (_, i) => ({ seq: i + 1, result: i })),
  );
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('splits many operations into several commits, and uses each number once', async (test) => {
  const { state, queue } = setUp(test);
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, i) => queue.submit(put(`id${i}`))));
  assert.deepEqual(
    outcomes.map(({ seq }) => seq),
    Array.from({ length: 200 }, (_, i) => i + 1),
  );
  assert.ok(state.commits > 1);
  assert.ok(Math.max(...state.sizes) <= 64, 'a commit holds the thread for a bounded time');
});

it('ends a commit when its turn is over, and commits the rest in the next ones', async (test) => {
  const { state, queue, store } = setUp(test);
  const slow = (id: string) => (txn: WriteTransaction) => {
    put(id)(txn);
    state.nowMs += 0.6 * TURN_MS;
  };
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => queue.submit(slow(id))));
  assert.deepEqual(state.sizes, [2, 2, 1]);
  assert.deepEqual(idsIn(store), ['a', 'b', 'c', 'd', 'e']);
});

/** An operation of so many slices and then so many steps, the last of which results in 'done'. */
function longOperation(slices: number, steps: number, onStep: (step: number) => void) {
  let prepared = 0;
  let step = 0;
  return {
    prepare: () => ++prepared >= slices,
    step: (txn: WriteTransaction) => {
      put(`step${++step}`)(txn);
      onStep(step);
      return step === steps ? { result: 'done' } : null;
    },
  };
}

it('commits each step of a long operation, with turns of others and writes of the index in between', async (test) => {
  const { state, queue, store } = setUp(test);
  const order: string[] = [];
  let others = 0;
  const other = () => setImmediate(() => order.push(`other ${++others}`));
  const before = queue.submit(put('before'));
  const long = queue.submitLong(
    'change',
    longOperation(3, 4, (step) => {
      order.push(`step ${step}`);
      other();
    }),
  );
  assert.equal((await before).seq, 1);
  const { result } = await queue.submit(() => idsIn(store));
  assert.ok(!result.includes('step4'), result.join());
  assert.deepEqual(await long, { seq: 6, result: 'done' });
  assert.deepEqual(idsIn(store), ['before', 'step1', 'step2', 'step3', 'step4']);
  assert.deepEqual(order.slice(0, 5), ['step 1', 'other 1', 'step 2', 'other 2', 'step 3']);
  assert.deepEqual(state.sizes, [1, 1, 1, 1, 1, 1]);
});

it('runs long operations of one kind in their order, and those of the other between their steps', async (test) => {
  const { queue } = setUp(test);
  const order: string[] = [];
  const long = (name: string) => longOperation(1, 2, (step) => order.push(`${name}${step}`));
  await Promise.all([
    queue.submitLong('change', long('a')),
    queue.submitLong('change', long('b')),
    queue.submitLong('bulk', long('c')),
    queue.submit(() => order.push('short')),
  ]);
  assert.deepEqual(order, ['short', 'a1', 'c1', 'a2', 'c2', 'b1', 'b2']);
});

it('tells a long operation what others have committed since it began, and nothing of its own', async (test) => {
  const { queue } = setUp(test);
  const seen: string[] = [];
  const long = queue.submitLong('change', {
    ...longOperation(1, 3, () => undefined),
    observe: (effects) =>
      seen.push(...effects.map((effect) => (effect.kind === 'add' ? effect.id : effect.kind))),
  });
  await queue.submit(put('other'));
  await long;
  assert.deepEqual(seen, ['other']);
});

it('answers a write as stored, although a long operation fails at being told of it', async (test) => {
  const { queue, store } = setUp(test);
  const long = queue.submitLong('change', {
    ...longOperation(1, 1_000_000, () => undefined),
    observe: () => {
      throw new RangeError('too much');
    },
  });
  const rejected = assert.rejects(long, RangeError);
  await queue.submit(put('a'));
  await rejected;
  await queue.submit(put('b'));
  assert.deepEqual(
    idsIn(store).filter((id) => !id.startsWith('step')),
    ['a', 'b'],
  );
});

it('ends a long operation at the step that fails, keeps the steps before, and goes on', async (test) => {
  const { queue, store } = setUp(test);
  const failing = queue.submitLong(
    'change',
    longOperation(1, 3, (step) => {
      if (step === 2) throw fault('metadata-too-big', { bytes: 50_000 });
    }),
  );
  const after = queue.submit(put('after'));
  await assert.rejects(failing, { condition: 'metadata-too-big' });
  await after;
  assert.deepEqual(idsIn(store), ['after', 'step1']);
});

it('ends long operations between two steps when it stops, and carries out short ones', async (test) => {
  const { queue, store, state } = setUp(test);
  const long = queue.submitLong(
    'change',
    longOperation(1, 1_000_000, (step) => {
      if (step === 2) setImmediate(() => queue.stop());
    }),
  );
  const waiting = queue.submitLong(
    'change',
    longOperation(1, 1, () => assert.fail()),
  );
  const bulk = queue.submitLong(
    'bulk',
    longOperation(1_000_000, 1, () => assert.fail()),
  );
  const outcomes = Promise.allSettled([long, waiting, bulk]);
  const isInterrupted = { condition: 'interrupted', status: 503 };
  await assert.rejects(long, isInterrupted);
  await queue.submit(put('short'));
  for (const outcome of await outcomes) {
    assert.ok(outcome.status === 'rejected');
    assert.equal(outcome.reason.condition, 'interrupted');
  }
  await assert.rejects(
    queue.submitLong(
      'change',
      longOperation(1, 1, () => assert.fail()),
    ),
    isInterrupted,
  );
  assert.equal(queue.length, 0);
  const { commits } = state;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(state.commits, commits, 'and then rests');
  const ids = idsIn(store);
  assert.ok(ids.length < 20 && ids.includes('step1') && ids.includes('short'), ids.join());
});

it('fails only the operation that throws a fault', async (test) => {
  const { state, queue, store } = setUp(test);
  const outcomes = await Promise.allSettled([
    queue.submit(put('a')),
    queue.submit(() => {
      throw fault('namespace-not-found');
    }),
    queue.submit(put('b')),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(idsIn(store), ['a', 'b']);
  assert.equal(state.commits, 1);
});

for (const [kind, error] of [
  ['an unknown error', new TypeError('broken')],
  ['a fault that comes too late', fault('metadata-too-big', { bytes: 50_000 })],
] as const) {
  it(`undoes only the operation that ${kind} interrupts`, async (test) => {
    const { queue, store } = setUp(test);
    const outcomes = await Promise.allSettled([
      queue.submit(put('a')),
      queue.submit((txn) => {
        upsertRecords(txn, 'other', [dense('half', [1, 2], { field: 1 })]);
        throw error;
      }),
      queue.submit(put('b')),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(outcomes[1]?.status === 'rejected' && outcomes[1].reason, error);
    assert.deepEqual(idsIn(store), ['a', 'b']);
    assert.equal(store.namespaces.get('other'), null);
    const seqs = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.seq] : []));
    assert.ok((seqs[0] ?? 0) < (seqs[1] ?? 0), 'numbers still grow');
  });
}

it('fails all operations of a commit on a full disk, and keeps nothing of it', async (test) => {
  const { state, queue, store } = setUp(test);
  state.failing = fault('storage-full', { reason: 'ENOSPC' });
  const outcomes = await Promise.allSettled([queue.submit(put('a')), queue.submit(put('b'))]);
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Fault);
    assert.equal(outcome.reason.condition, 'storage-full');
  }
  assert.deepEqual(idsIn(store), []);
  state.failing = null;
  assert.equal((await queue.submit(put('c'))).seq, 1);
  assert.deepEqual(idsIn(store), ['c']);
});

it('ends with the error for each operation when the commit always fails', async (test) => {
  const { state, queue } = setUp(test);
  state.failing = new Error('broken');
  const outcomes = await Promise.allSettled([1, 2, 3].map((i) => queue.submit(put(`${i}`))));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
});

it('maps errors of a failing disk to storage-full, and leaves others unchanged', () => {
  const withCode = (code: string) => Object.assign(new Error(`${code}: write`), { code });
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO']) {
    const mapped = storageFault(withCode(code));
    assert.ok(
      mapped instanceof Fault && mapped.condition === 'storage-full' && mapped.message.includes(code),
    );
  }
  for (const text of [
    'No space left on device',
    'Disk quota exceeded',
    'File too large',
    'Input/output error',
  ]) {
    // LMDB's errors carry their number and only the system's text.
    const mapped = storageFault(Object.assign(new Error(text), { code: 28 }));
    assert.ok(mapped instanceof Fault && mapped.condition === 'storage-full', text);
  }
  const cutShort = new Error('Input/output error');
  const reasonWith = (freeBytes: number) => String(storageFault(cutShort, () => freeBytes));
  assert.match(reasonWith(4_096), /the disk is full \(ENOSPC\)/);
  assert.match(reasonWith(2 ** 30), /an input\/output error \(EIO\)/);
  for (const other of [
    new TypeError('x'),
    withCode('EBADF'),
    fault('namespace-not-found'),
    'text',
    undefined,
  ]) {
    assert.equal(storageFault(other), other);
  }
});
