// Fields are listed as long as records have them, whatever the cache evicts and transactions take back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { RecordStore, SEQ } from '../storage/record-store.ts';
import { effort } from '../testing/effort.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { ListedFields } from './listed-fields.ts';

const STEPS = effort({ daily: 300, long: 20_000 });
const NAMES = ['a', 'b', 'c', 'd', 'e'];

function open(test: TestContext) {
  const path = join(tempFolder(test), 'records');
  const store = new RecordStore(path);
  test.after(() => store.close());
  const listed = (namespaceId: number) => [...store.fields.list(namespaceId)];
  /** Changes something in a write of its own. */
  const write = (fields: ListedFields, change: () => void, { fails = false } = {}) => {
    try {
      store.env.transactionSync(() => {
        const seq = store.numbers.get(SEQ) + 1;
        change();
        fields.finish(seq);
        store.numbers.put(SEQ, seq);
        if (fails) throw new Error('the disk is full');
      });
    } catch {
      fields.clear();
    }
  };
  return { store, listed, write };
}

it('lists the fields of the records, as a model does, over restarts and failed transactions', (test) => {
  const { store, listed, write } = open(test);
  const random = new Random(411);
  let fields = new ListedFields(store);
  /** The fields of each record, by namespace. */
  let model = new Map<number, string[][]>();
  for (let step = 0; step < STEPS; step++) {
    const next = structuredClone(model);
    const fails = random.integer(10) === 0;
    write(
      fields,
      () => {
        for (let change = random.integer(6); change >= 0; change--) {
          const namespaceId = 1 + random.integer(3);
          const records = next.get(namespaceId) ?? [];
          next.set(namespaceId, records);
          const names = NAMES.filter(() => random.integer(3) === 0);
          if (random.integer(5) < 2) fields.removed(namespaceId, records.shift() ?? []);
          else {
            records.push(names);
            fields.added(namespaceId, names);
          }
          if (records.length === 0) fields.emptied(namespaceId);
        }
      },
      { fails },
    );
    if (!fails) model = next;
    if (random.integer(20) === 0) fields = new ListedFields(store);
    for (const [namespaceId, records] of model)
      assert.deepEqual(
        listed(namespaceId),
        NAMES.filter((name) => records.flat().includes(name)),
        `${step}`,
      );
  }
});

it('keeps fields of releases that did not count until their namespace is empty', (test) => {
  const { store, listed, write } = open(test);
  const first = new ListedFields(store);
  write(first, () => first.added(1, ['a', 'b']));
  // One that does not know of counts adds a record with field a.
  store.env.transactionSync(() => store.numbers.put(SEQ, 7));
  const later = new ListedFields(store);
  write(later, () => {
    later.removed(1, ['a', 'b']);
    later.added(1, ['c']);
  });
  assert.deepEqual(listed(1), ['a', 'b', 'c']);
  write(later, () => later.removed(1, ['c']));
  assert.deepEqual(listed(1), ['a', 'b']);
  write(later, () => later.emptied(1));
  assert.deepEqual(listed(1), []);
});

it('forgets nothing over more namespaces than it remembers', (test) => {
  const { listed, store, write } = open(test);
  const fields = new ListedFields(store);
  const all = Array.from({ length: 60_000 }, (_, i) => i);
  write(fields, () => {
    for (const namespaceId of all) fields.added(namespaceId, ['x', 'y']);
    for (const namespaceId of all) fields.removed(namespaceId, ['x']);
  });
  for (const namespaceId of [0, 1, 30_000, 59_999]) assert.deepEqual(listed(namespaceId), ['y']);
});

it('lists a bounded number of names for a namespace', (test) => {
  const { listed, store, write } = open(test);
  const fields = new ListedFields(store);
  write(fields, () => {
    for (let i = 0; i < 10_500; i++) fields.added(1, [`f${i}`]);
    fields.added(2, ['f']);
  });
  assert.deepEqual([listed(1).length, listed(2).length], [10_000, 1]);
});
