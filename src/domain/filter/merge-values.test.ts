// Guarantees of merged conditions: they match what the conditions match one by one, in lists of bounded length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FILTER_IN_ENTRIES_MAX } from '../limits.ts';
import type { FieldTest, Filter, Scalar } from './grammar.ts';
import { matches } from './matches.ts';
import { mergeValues } from './merge-values.ts';

const RUNS = { seed: 91, numRuns: 500 };
const field = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<Scalar>('x', 'y', '1', 1, 0, -0, true, false);
const metadata = fc.dictionary(field, fc.oneof(scalar, fc.subarray(['x', 'y', '1'])), { maxKeys: 3 });
const condition: fc.Arbitrary<FieldTest> = fc.oneof(
  fc.record({
    op: fc.constantFrom('in' as const, 'notIn' as const),
    values: fc.array(scalar, { maxLength: 3 }),
  }),
  fc.record({ op: fc.constant('exists' as const), present: fc.boolean() }),
);
const part: fc.Arbitrary<Filter> = fc
  .tuple(field, condition)
  .map(([name, each]): Filter => ({ kind: 'field', field: name, test: each }));

test('matches the same records when conditions of one field are merged', () => {
  fc.assert(
    fc.property(metadata, fc.array(part, { maxLength: 8 }), (record, parts) => {
      const any = mergeValues(parts, 'in');
      assert.equal(matches({ kind: 'any', parts: any }, record), matches({ kind: 'any', parts }, record));
      const all = mergeValues(parts, 'notIn');
      assert.equal(matches({ kind: 'all', parts: all }, record), matches({ kind: 'all', parts }, record));
      assert.ok(any.length <= parts.length && all.length <= parts.length);
    }),
    RUNS,
  );
});

test('keeps merged lists within the limit of a list', () => {
  const count = 2 * FILTER_IN_ENTRIES_MAX + 1;
  const parts = Array.from(
    { length: count },
    (_, i): Filter => ({ kind: 'field', field: 'f', test: { op: 'in', values: [i] } }),
  );
  const lengths = mergeValues(parts, 'in').map((each) =>
    each.kind === 'field' && each.test.op === 'in' ? each.test.values.length : 0,
  );
  assert.deepEqual(lengths, [FILTER_IN_ENTRIES_MAX, FILTER_IN_ENTRIES_MAX, 1]);
});
