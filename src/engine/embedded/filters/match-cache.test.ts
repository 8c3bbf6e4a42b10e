// Cached matches against a fresh evaluation while slots are added, and the keys of filters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { ColumnReader } from './column-reader.ts';
import { ColumnWriter } from './column-writer.ts';
import { cacheKeyOf, MatchBudget, MatchCache } from './match-cache.ts';
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
    (each) => [cacheKeyOf(each, null), cacheKeyOf(each, []), cacheKeyOf(each, ['a'])],
  );
  assert.equal(new Set(keys).size, keys.length);
});

test('refuses to cache long lists of values', () => {
  const values = Array.from({ length: 1_000 }, (_, at) => at);
  assert.equal(cacheKeyOf({ kind: 'field', field: 'a', test: { op: 'in', values } }, null), null);
  const long: Filter = { kind: 'field', field: 'a', test: { op: 'in', values: ['x'.repeat(2_000)] } };
  assert.equal(cacheKeyOf({ kind: 'not', part: long }, null), null);
});
