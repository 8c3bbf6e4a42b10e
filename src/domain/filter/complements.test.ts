// The negative operators are complements of the positive ones, on any record, by an evaluator of JSON that stands alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matches } from './matches.ts';
import { parseFilter } from './parse-filter.ts';

type Value = string | number | boolean | readonly string[];

const RUNS = { seed: 53, numRuns: 500 };
const field = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<string | number | boolean>('x', 'y', '1', 1, 0, true, false);
const value = fc.oneof(scalar, fc.subarray(['x', 'y', '1']));
const metadata = fc.dictionary(field, value, { maxKeys: 3 });

/** True when an element of the field's value is one of `requested`; an absent field has no elements. */
function equalsAny(stored: Value | undefined, requested: readonly unknown[]): boolean {
  if (stored === undefined) return false;
  return (typeof stored === 'object' ? stored : [stored]).some((each) => requested.includes(each));
}

function selects(filter: object, record: Readonly<Record<string, Value>>): boolean {
  return matches(parseFilter(filter), record);
}

test('selects by $ne, $nin and $not just the records that $eq and $in leave out', () => {
  fc.assert(
    fc.property(metadata, field, fc.array(scalar, { minLength: 1, maxLength: 3 }), (record, name, values) => {
      const [first] = values;
      const isEqual = equalsAny(record[name], [first]);
      const isMember = equalsAny(record[name], values);
      assert.equal(selects({ [name]: { $eq: first } }, record), isEqual);
      assert.equal(selects({ [name]: { $ne: first } }, record), !isEqual);
      assert.equal(selects({ [name]: { $not: { $eq: first } } }, record), !isEqual);
      assert.equal(selects({ $not: { [name]: first } }, record), !isEqual);
      assert.equal(selects({ [name]: { $in: values } }, record), isMember);
      assert.equal(selects({ [name]: { $nin: values } }, record), !isMember);
      assert.equal(selects({ [name]: { $not: { $nin: values } } }, record), isMember);
    }),
    RUNS,
  );
});
