// Conformance: upserts, and what reads show after them.
import assert from 'node:assert/strict';
import { type Check, HYBRID, idsOf, unchanged } from './harness.ts';
import { readable } from './same-records.ts';
import { dense, sparseOf, where } from './sample-data.ts';

export function upserts(check: Check): void {
  check('stores values, sparse values and metadata unchanged', HYBRID, async ({ reader, writer }) => {
    const record = {
      ...dense('a', [0.1, -2, 3e-5, 4], { genre: ['x', 'y'], n: 1.5, b: true }),
      sparse: sparseOf([
        [7, 0.1],
        [4_294_967_295, 2],
      ]),
    };
    await writer.upsert('', [record, dense('b', [1, 0, 0, 0])]);
    const stored = await reader.fetch('', ['a', 'b']);
    assert.deepEqual(stored.map(readable), [record, dense('b', [1, 0, 0, 0])].map(readable));
  });
  check('replaces whole records', HYBRID, async ({ reader, writer }) => {
    await writer.upsert('', [{ ...dense('a', [1, 2, 3, 4], { old: 1 }), sparse: sparseOf([[1, 1]]) }]);
    await writer.upsert('', [dense('a', [4, 3, 2, 1])]);
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [readable(dense('a', [4, 3, 2, 1]))]);
    assert.equal((await reader.describeNamespace(''))?.recordCount, 1);
  });
  check('stores the last of several records with one id', {}, async ({ reader, writer }) => {
    await writer.upsert('', [
      dense('a', [1, 0, 0, 0], { n: 1 }),
      dense('b', [1, 0, 0, 0]),
      dense('a', [0, 1, 0, 0], { n: 2 }),
    ]);
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [
      readable(dense('a', [0, 1, 0, 0], { n: 2 })),
    ]);
    assert.equal((await reader.describeNamespace(''))?.recordCount, 2);
  });
  check('fetches in the requested order and leaves out unknown ids', {}, async ({ reader, writer }) => {
    await writer.upsert('n', [dense('a', [1, 0, 0, 0]), dense('b', [1, 0, 0, 0])]);
    assert.deepEqual(idsOf(await reader.fetch('n', ['b', 'zz', 'a'])), ['b', 'a']);
    assert.deepEqual(await reader.fetch('', ['a']), []);
  });
  check('stores, filters, replaces and deletes fields with names of any length', {}, async (index) => {
    const { reader, writer } = index;
    const long = longName(30_000);
    const isNamed = where(long, { op: 'compare', relation: 'gt', bound: 0 });
    await writer.upsert('', [dense('a', [1, 0, 0, 0], { [long]: 1, n: 1 }), dense('b', [1, 0, 0, 0])]);
    assert.equal(await reader.count('', isNamed), 1);
    await writer.upsert('', [dense('a', [1, 0, 0, 0], { [long]: 2 })]);
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [
      readable(dense('a', [1, 0, 0, 0], { [long]: 2 })),
    ]);
    await writer.deleteByFilter('', isNamed);
    assert.equal((await reader.describeNamespace(''))?.recordCount, 1);
  });
  check('lists fields whose names have up to 1,900 bytes', {}, async ({ reader, writer }) => {
    const name = longName(1_900);
    await writer.upsert('', [dense('a', [1, 0, 0, 0], { [name]: 1, n: 1 })]);
    assert.deepEqual(new Set(await reader.indexedFields('')), new Set([name, 'n']));
  });
  check('stores a metadata field named __proto__ like any other', {}, async ({ reader, writer }) => {
    const metadataJson = '{"__proto__":"x"}';
    await writer.upsert('', [{ ...dense('a', [1, 0, 0, 0]), metadataJson }]);
    await writer.update('', { ...unchanged('a'), setMetadata: { n: 1 } });
    const [stored] = await reader.fetch('', ['a']);
    assert.deepEqual(Object.entries(JSON.parse(stored?.metadataJson ?? '{}')), [
      ['__proto__', 'x'],
      ['n', 1],
    ]);
    assert.equal(await reader.count('', where('__proto__', { op: 'in', values: ['x'] })), 1);
  });
  check('gives every write a higher LSN, which reads see at once', {}, async ({ reader, writer }) => {
    assert.equal(await reader.lsn(), 0);
    const first = await writer.upsert('', [dense('a', [1, 0, 0, 0])]);
    const second = await writer.upsert('', [dense('a', [1, 0, 0, 0])]);
    assert.ok(first > 0 && second > first && (await reader.lsn()) >= second);
    const third = await writer.deleteIds('', ['a']);
    assert.ok(third > second && (await reader.lsn()) >= third);
  });
}

/** Of digits in no order that a compression makes short. */
function longName(length: number): string {
  let text = '';
  for (let n = 1; text.length < length; n = (n * 48_271) % 2_147_483_647) text += n.toString(36);
  return text.slice(0, length);
}
