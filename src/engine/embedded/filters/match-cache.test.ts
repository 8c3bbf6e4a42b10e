// Cached matches against a fresh evaluation while slots are added, and the keys of filters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { ColumnReader } from './column-reader.ts';
import { ColumnWriter } from './column-writer.ts';
import { keyOf } from './filter-key.ts';
import { MatchBudget, MatchCache } from './match-cache.ts';
import { TestMemory } from './testing/test-memory.ts';

const SEED = 2 ** 33 + 7;

const field = fc.constantFrom('a', 'b', 'c');
const scalar = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('x', 'y', true, Infinity, -Infinity));
const bound = fc.constantFrom(0, 1, 3, Infinity, -Infinity);
const leaf: fc.Arbitrary<Filter> = fc.record({
  kind: fc.constant('field' as const),
  field,
  test: fc.oneof(
    fc.record({ op: fc.constant('in' as const), values: fc.array(scalar, { maxLength: 3 }) }),
    fc.record({ op: fc.constant('notIn' as const), values: fc.array(scalar, { maxLength: 3 }) }),
    fc.record({
      op: fc.constant('compare' as const),
      relation: fc.constantFrom('gt' as const, 'lt' as const),
      bound,
    }),
    fc.record({ op: fc.constant('exists' as const), present: fc.boolean() }),
  ),
});
const filter: fc.Arbitrary<Filter> = fc.oneof(
  leaf,
  fc.record({ kind: fc.constant('not' as const), part: leaf }),
  fc.record({
    kind: fc.constantFrom('all' as const, 'any' as const),
    parts: fc.array(leaf, { maxLength: 3 }),
  }),
);
const record = fc.dictionary(field, scalar, { maxKeys: 3 });

function wordsBelow(words: Uint32Array, slotCount: number): readonly number[] {
  const rest = slotCount % 32;
  return [...words.subarray(0, Math.ceil(slotCount / 32))].map((word, at, all) =>
    rest !== 0 && at === all.length - 1 ? (word & ((1 << rest) - 1)) >>> 0 : word,
  );
}

test('matches the same for a filter that is repeated while slots are added as for one evaluated once', () => {
  const rounds = fc.array(fc.array(record, { maxLength: 70 }), { minLength: 1, maxLength: 8 });
  const filterLists = fc.uniqueArray(filter, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(rounds, filterLists, fc.nat(3), (rounds, filters, ownColumnRecordsMin) => {
      const memory = new TestMemory();
      const options = { buffer: memory.buffer, seed: SEED };
      const writer = new ColumnWriter({ ...options, blocks: memory, ownColumnRecordsMin });
      const reader = new ColumnReader({ ...options, cachedSlotsMin: 0 });
      let slotCount = 0;
      for (const added of rounds) {
        for (const each of added) writer.append(slotCount++, each);
        reader.apply(writer.takeDeltas());
        writer.publish();
        for (const filterable of [null, ['a', 'b']]) {
          for (const each of filters) {
            const fresh = reader.evaluate(each, { slotCount, filterable });
            const kept = reader.matches(each, { slotCount, filterable });
            assert.deepEqual(wordsBelow(kept, slotCount), [...fresh]);
            reader.release(fresh);
          }
        }
      }
    }),
    { seed: 73, numRuns: 150 },
  );
});

test('shows the same matches for fewer slots than before', () => {
  const memory = new TestMemory();
  const options = { buffer: memory.buffer, seed: SEED };
  const writer = new ColumnWriter({ ...options, blocks: memory });
  const reader = new ColumnReader({ ...options, cachedSlotsMin: 0 });
  for (let slot = 0; slot < 100; slot++) writer.append(slot, { a: slot % 2 });
  reader.apply(writer.takeDeltas());
  writer.publish();
  const filter: Filter = { kind: 'field', field: 'a', test: { op: 'in', values: [1] } };
  for (const slotCount of [100, 40, 99, 7]) {
    const kept = reader.matches(filter, { slotCount, filterable: null });
    const fresh = reader.evaluate(filter, { slotCount, filterable: null });
    assert.deepEqual(wordsBelow(kept, slotCount), [...fresh]);
  }
});

test('caches as many filters as their memory allows, over several namespaces, and drops the least recently used', () => {
  const slotCount = 32_000;
  const matches = { words: new Uint32Array(slotCount / 32), slotCount };
  const budget = new MatchBudget(100 * 5_000);
  const caches = [new MatchCache(budget), new MatchCache(budget)] as const;
  const cacheOf = (number: number) => caches[number % 2 === 0 ? 0 : 1];
  const isCached = (number: number) => cacheOf(number).get(`filter ${number}`) !== null;
  for (let number = 0; number < 200; number++) {
    cacheOf(number).put(`filter ${number}`, matches, 0);
    assert.ok(isCached(0), 'used again and again');
  }
  const kept = Array.from({ length: 200 }, (_, number) => number).filter(isCached);
  assert.ok(kept.length > 90 && kept.length < 110, `${kept.length}`);
  assert.deepEqual(
    kept.slice(1),
    Array.from({ length: kept.length - 1 }, (_, at) => 201 - kept.length + at),
  );
});

test('gives filters with different meanings different keys, also with infinities and texts of them', () => {
  const above = (bound: number): Filter => ({
    kind: 'field',
    field: 'a',
    test: { op: 'compare', relation: 'gt', bound },
  });
  const equal = (value: string | number): Filter => ({
    kind: 'field',
    field: 'a',
    test: { op: 'in', values: [value] },
  });
  const keys = [above(Infinity), above(-Infinity), equal(Infinity), equal('Infinity'), equal('null')].flatMap(
    (filter) => [null, [], ['a']].map((filterable) => keyOf({ filter, filterable })),
  );
  assert.equal(new Set(keys).size, keys.length);
});

/** `{field: {$in: values}}` */
function listed(values: readonly (string | number)[], field = 'a'): Filter {
  return { kind: 'field', field, test: { op: 'in', values } };
}

test('gives filters with long lists the same key exactly when they are equal, in values and their types', () => {
  const value = fc.oneof(fc.nat(3), fc.constantFrom('0', '1', 'null', '[', '",', Infinity, -Infinity));
  const values = fc.array(value, { minLength: 600, maxLength: 601, size: 'max' });
  const change = fc.tuple(fc.nat({ max: 599 }), value);
  fc.assert(
    fc.property(values, change, fc.boolean(), (values, [at, value], isNegated) => {
      const other = values.with(at, value);
      const of = (values: readonly (string | number)[]) =>
        keyOf({
          filter: isNegated ? { kind: 'not', part: listed(values) } : listed(values),
          filterable: null,
        });
      assert.ok(of(values).length <= 1_024);
      assert.equal(of(values) === of(other), values[at] === value);
      assert.equal(of(values), of([...values]));
    }),
    { seed: 74, numRuns: 200 },
  );
});

test('caches filters with long lists from the second time on, and remembers a bounded number of them', () => {
  const cache = new MatchCache(new MatchBudget());
  const isAdmitted = (filter: Filter) => cache.keyOf({ filter, filterable: null }) !== null;
  const list = (number: number) => listed(Array.from({ length: 1_000 }, (_, at) => `${number} ${at}`));
  assert.ok(!isAdmitted({ kind: 'not', part: list(0) }));
  assert.ok(!isAdmitted(list(0)) && isAdmitted(list(0)) && isAdmitted(list(0)));
  assert.ok(isAdmitted(listed([1, 2, 3])));
  for (let number = 1; number < 5_000; number++) assert.ok(!isAdmitted(list(number)));
  assert.ok(!isAdmitted(list(0)), 'forgotten');
  assert.ok(isAdmitted(list(4_000)));
});

test('takes a list that only another namespace was asked for as new', () => {
  const budget = new MatchBudget();
  const [first, second] = [new MatchCache(budget), new MatchCache(budget)];
  const keyed = { filter: listed(Array.from({ length: 100 }, (_, at) => at)), filterable: null };
  assert.equal(first.keyOf(keyed), null);
  assert.equal(second.keyOf(keyed), null);
  assert.notEqual(first.keyOf(keyed), null);
});

test('matches the same for lists that share their outline', () => {
  const memory = new TestMemory();
  const options = { buffer: memory.buffer, seed: SEED };
  const writer = new ColumnWriter({ ...options, blocks: memory });
  const reader = new ColumnReader({ ...options, cachedSlotsMin: 0 });
  for (let slot = 0; slot < 500; slot++) writer.append(slot, { a: slot });
  reader.apply(writer.takeDeltas());
  writer.publish();
  const values = Array.from({ length: 200 }, (_, at) => at * 2);
  for (let round = 0; round < 4; round++) {
    for (const filter of [listed(values), listed(values.with(1, 499)), listed(values, 'b')]) {
      const kept = reader.matches(filter, { slotCount: 500, filterable: null });
      const fresh = reader.evaluate(filter, { slotCount: 500, filterable: null });
      assert.deepEqual(wordsBelow(kept, 500), [...fresh]);
      reader.release(fresh);
    }
  }
});
