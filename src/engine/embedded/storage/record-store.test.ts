// Names and ids come in bytewise order on every page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { tempFolder } from '../testing/temp-folder.ts';
import { RecordStore } from './record-store.ts';

const NAMES = ['', ' ', '1', '10', 'a', 'a\x7f', 'aa', 'ab', 'b', 'ba', 'x'.repeat(512), '\x7f'];
const SPACE = 7;

it('lists the names with the prefix after a given name, whether or not that name has the prefix', (test) => {
  const store = new RecordStore(join(tempFolder(test), 'records.mdb'));
  test.after(() => store.close());
  store.env.transactionSync(() => {
    NAMES.forEach((name, row) => {
      store.namespaces.put(name, {
        namespaceId: row + 1,
        recordCount: 0,
        sizeBytes: 0,
        schema: null,
        isExplicit: true,
      });
      if (name === '') return;
      store.records.putId(SPACE, name, row);
      for (const neighbor of [SPACE - 1, SPACE + 1]) store.records.putId(neighbor, name, row);
    });
  });
  const name = fc.constantFrom(...NAMES, 'aaa', 'c', 'x', '\x01');
  fc.assert(
    fc.property(name, fc.option(name), (prefix, after) => {
      const isExpected = (item: string) => item.startsWith(prefix) && (after === null || item > after);
      const expected = NAMES.filter(isExpected).sort();
      assert.deepEqual(
        [...store.namespaces.list(prefix, after)].map((entry) => entry.name),
        expected,
      );
      assert.deepEqual(
        [...store.records.listIds(SPACE, prefix, after)].map(({ id, row }) => [id, row]),
        expected.filter((id) => id !== '').map((id) => [id, NAMES.indexOf(id)]),
      );
      assert.equal(store.namespaces.count(prefix), NAMES.filter((item) => item.startsWith(prefix)).length);
    }),
    { seed: 38, numRuns: 300 },
  );
});

it('reports records of a namespace exactly while it has some, whatever its neighbors have', (test) => {
  const store = new RecordStore(join(tempFolder(test), 'records.mdb'));
  test.after(() => store.close());
  const body = { id: 'a', seq: 1, sparse: null, metadataJson: null, rowSum: 0 };
  store.env.transactionSync(() => {
    for (const namespaceId of [SPACE - 1, SPACE, SPACE + 1])
      store.records.put(namespaceId, 2 ** 32 - 1, body);
  });
  assert.equal(store.records.hasAny(SPACE), true);
  store.env.transactionSync(() => store.records.remove(SPACE, 2 ** 32 - 1, 'a'));
  assert.equal(store.records.hasAny(SPACE), false);
  assert.equal(store.records.hasAny(SPACE + 1), true);
});
