// Guarantees of canonical JSON: one text for each value, whatever the order of its members.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { canonicalText } from './json.ts';

const OPTIONS = { seed: 14, numRuns: 500 };
const anything = fc.jsonValue({ maxDepth: 4 });

/** The same value with the members of each object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.reverse());
}

test('writes equal values as equal texts, and reads back as the value', () => {
  fc.assert(
    fc.property(anything, (value) => {
      const text = canonicalText(value);
      assert.equal(canonicalText(reversed(value)), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
    OPTIONS,
  );
});

test('writes other values as other texts, orders of lists included', () => {
  fc.assert(
    fc.property(anything, anything, (one, other) => {
      const [first, second] = [one, other].map((value) => JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalText(first) === canonicalText(second), isDeepStrictEqual(first, second));
    }),
    OPTIONS,
  );
  assert.notEqual(canonicalText([1, 2]), canonicalText([2, 1]));
});
