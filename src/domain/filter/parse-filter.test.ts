// The filter language: what it accepts, the tree it becomes, and the exact error for everything else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../faults.ts';
import { FILTER_DEPTH_MAX, FILTER_IN_ENTRIES_MAX } from '../limits.ts';
import { CONDITION_CHARS_MAX } from '../quoted.ts';
import type { FieldTest, Filter } from './grammar.ts';
import {
  FILTER_CONDITIONS_MAX,
  isEmptyFilter,
  parseFilter,
  parseOptionalFilter,
  parseRequiredFilter,
} from './parse-filter.ts';

const on = (field: string, condition: FieldTest): Filter => ({ kind: 'field', field, test: condition });
const equal = (field: string, value: string | number | boolean): Filter =>
  on(field, { op: 'in', values: [value] });
const EVERYTHING: Filter = { kind: 'all', parts: [] };

const ACCEPTED: readonly (readonly [text: string, tree: Filter])[] = [
  ['{}', EVERYTHING],
  ['{"f":"x"}', equal('f', 'x')],
  ['{"f":5}', equal('f', 5)],
  ['{"f":false}', equal('f', false)],
  ['{"f":{"$eq":"x"}}', equal('f', 'x')],
  ['{"f":{"$ne":true}}', on('f', { op: 'notIn', values: [true] })],
  ['{"f":{"$gt":1}}', on('f', { op: 'compare', relation: 'gt', bound: 1 })],
  ['{"f":{"$gte":1}}', on('f', { op: 'compare', relation: 'gte', bound: 1 })],
  ['{"f":{"$lt":1}}', on('f', { op: 'compare', relation: 'lt', bound: 1 })],
  ['{"f":{"$lte":-1.5}}', on('f', { op: 'compare', relation: 'lte', bound: -1.5 })],
  ['{"f":{"$in":["x",1,true]}}', on('f', { op: 'in', values: ['x', 1, true] })],
  ['{"f":{"$in":[]}}', on('f', { op: 'in', values: [] })],
  ['{"f":{"$nin":["x",2]}}', on('f', { op: 'notIn', values: ['x', 2] })],
  ['{"f":{"$nin":[]}}', on('f', { op: 'notIn', values: [] })],
  ['{"f":{"$exists":false}}', on('f', { op: 'exists', present: false })],
  ['{"f":{"$not":{"$eq":"x"}}}', { kind: 'not', part: equal('f', 'x') }],
  ['{"$not":{"f":"x"}}', { kind: 'not', part: equal('f', 'x') }],
  ['{"$not":{}}', { kind: 'not', part: EVERYTHING }],
  ['{"a":1,"b":2}', { kind: 'all', parts: [equal('a', 1), equal('b', 2)] }],
  ['{"$and":[{"a":1},{"b":2}]}', { kind: 'all', parts: [equal('a', 1), equal('b', 2)] }],
  ['{"$or":[{"a":1},{}]}', { kind: 'any', parts: [equal('a', 1), EVERYTHING] }],
  [
    '{"$or":[{"a":1}],"b":2}',
    { kind: 'all', parts: [{ kind: 'any', parts: [equal('a', 1)] }, equal('b', 2)] },
  ],
  ['{"a.b":1}', equal('a.b', 1)],
  ['{"":1}', equal('', 1)],
  ['{"__proto__":1}', equal('__proto__', 1)],
  ['{"constructor":{"$eq":1}}', equal('constructor', 1)],
];

const REFUSED: readonly (readonly [text: string, message: string])[] = [
  ['{"$gt":5}', 'illegal condition for field $gt, got 5'],
  ['{"$nope":[{}]}', 'illegal condition for field $nope, got [{}]'],
  ['{"$match_all":"x"}', 'illegal condition for field $match_all, got "x"'],
  ['{"f":{"$nope":5}}', 'illegal condition for field f, got {"$nope":5}'],
  ['{"f":["a","b"]}', 'illegal condition for field f, got ["a","b"]'],
  ['{"f":[]}', 'illegal condition for field f, got []'],
  ['{"f":{"$eq":["a","b"]}}', 'illegal condition for field f, got {"$eq":["a","b"]}'],
  ['{"f":{"$ne":["a"]}}', 'illegal condition for field f, got {"$ne":["a"]}'],
  ['{"f":{"$eq":{"a":1}}}', 'illegal condition for field f, got {"$eq":{"a":1}}'],
  ['{"f":{}}', 'illegal condition for field f, got {}'],
  ['{"f":{"x":1}}', 'illegal condition for field f, got {"x":1}'],
  ['{"f":{"$gt":1,"x":1}}', 'illegal condition for field f, got {"$gt":1,"x":1}'],
  ['{"f":{"__proto__":1}}', 'illegal condition for field f, got {"__proto__":1}'],
  ['{"f":null}', 'illegal condition for field f, got null'],
  ...['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$not'].map(
    (operator) =>
      [`{"f":{"${operator}":null}}`, `illegal condition for field f, got {"${operator}":null}`] as const,
  ),
  ...['$gt', '$gte', '$lt', '$lte'].flatMap((operator) =>
    ['"5"', 'true', '[1]', '{"a":1}'].map(
      (operand) =>
        [
          `{"f":{"${operator}":${operand}}}`,
          `illegal condition for field f, got {"${operator}":${operand}}`,
        ] as const,
    ),
  ),
  ...['$in', '$nin'].flatMap((operator) =>
    ['"a"', '5', '{"a":1}', '[null]', '["a",["b"]]', '[{}]'].map(
      (operand) =>
        [
          `{"f":{"${operator}":${operand}}}`,
          `illegal condition for field f, got {"${operator}":${operand}}`,
        ] as const,
    ),
  ),
  ['{"f":{"$exists":1}}', 'illegal condition for field f, got {"$exists":1}'],
  ['{"f":{"$exists":"true"}}', 'illegal condition for field f, got {"$exists":"true"}'],
  ['{"f":{"$not":"x"}}', 'illegal condition for field f, got {"$not":"x"}'],
  ['{"f":{"$not":["x"]}}', 'illegal condition for field f, got {"$not":["x"]}'],
  ['{"f":{"$not":{}}}', 'illegal condition for field f, got {}'],
  ['{"f":{"$and":[{"$gt":1}]}}', 'illegal condition for field f, got {"$and":[{"$gt":1}]}'],
  ['{"$and":{"a":1}}', 'illegal condition for field $and, got {"a":1}'],
  ['{"$and":[]}', 'illegal condition for field $and, got []'],
  ['{"$and":null}', 'illegal condition for field $and, got null'],
  ['{"$and":[null]}', 'illegal condition for field $and, got null'],
  ['{"$or":"x"}', 'illegal condition for field $or, got "x"'],
  ['{"$or":[]}', 'illegal condition for field $or, got []'],
  ['{"$or":[{"a":1},5]}', 'illegal condition for field $or, got 5'],
  ['{"$not":null}', 'illegal condition for field $not, got null'],
  ['{"$not":[{"a":1}]}', 'illegal condition for field $not, got [{"a":1}]'],
  ['{"f":1e999}', 'illegal condition for field f, got Infinity'],
  ['{"f":{"$lt":1e999}}', 'illegal condition for field f, got {"$lt":Infinity}'],
  ['[]', 'filter must be an object, got []'],
  ['"x"', 'filter must be an object, got "x"'],
  ['5', 'filter must be an object, got 5'],
  ['null', 'filter must be an object, got null'],
  ...['$match_phrase', '$match_all', '$match_any'].map(
    (operator) =>
      [
        `{"f":{"${operator}":"x"}}`,
        `operator ${operator} on field f is only supported on full-text fields of document indexes`,
      ] as const,
  ),
];

function messageOf(json: unknown): string {
  try {
    parseFilter(json);
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.deepEqual([error.status, error.code], [400, 'INVALID_ARGUMENT']);
    return error.message;
  }
  return 'accepted';
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let filter: unknown = { f: 1 };
  for (let level = 1; level < levels; level++) filter = wrap(filter);
  return filter;
}

for (const [text, tree] of ACCEPTED) {
  test(`accepts ${text}`, () => assert.deepEqual(parseFilter(JSON.parse(text)), tree));
}

for (const [text, message] of REFUSED) {
  test(`refuses ${text} with the documented message`, () =>
    assert.equal(messageOf(JSON.parse(text)), message));
}

test('accepts membership lists up to the limit', () => {
  const entries = Array.from({ length: FILTER_IN_ENTRIES_MAX }, (_, i) => i);
  assert.equal(messageOf({ f: { $in: entries } }), 'accepted');
  assert.equal(messageOf({ f: { $nin: entries } }), 'accepted');
  for (const operator of ['$in', '$nin']) {
    assert.equal(
      messageOf({ f: { [operator]: [...entries, 0] } }),
      `${operator} on field f has 10001 entries; at most 10000 are allowed`,
    );
  }
});

test('bounds nesting, whichever operator nests', () => {
  const wraps: readonly ((inner: unknown) => unknown)[] = [
    (inner) => ({ $and: [inner] }),
    (inner) => ({ $or: [inner] }),
    (inner) => ({ $not: inner }),
  ];
  for (const wrap of wraps) {
    assert.equal(messageOf(nested(FILTER_DEPTH_MAX, wrap)), 'accepted');
    assert.equal(messageOf(nested(FILTER_DEPTH_MAX + 1, wrap)), 'filter is nested deeper than 32 levels');
    assert.equal(messageOf(nested(100_000, wrap)), 'filter is nested deeper than 32 levels');
  }
  let condition: unknown = { $eq: 1 };
  for (let level = 0; level < FILTER_DEPTH_MAX; level++) condition = { $not: condition };
  assert.equal(messageOf({ f: condition }), 'filter is nested deeper than 32 levels');
});

test('bounds the number of conditions, however they are spread', () => {
  const tooMany = `filter has more than ${FILTER_CONDITIONS_MAX} conditions`;
  const some = <Each>(count: number, make: (i: number) => Each): Each[] =>
    Array.from({ length: count }, (_, i) => make(i));
  const fields = (count: number) => Object.fromEntries(some(count, (i) => [`f${i}`, i]));
  const shapes: readonly ((count: number) => unknown)[] = [
    fields,
    // The operator counts, and each element by its conditions.
    ...['$or', '$and'].flatMap((operator) => [
      (count: number) => ({ [operator]: some(count - 1, (i) => ({ [`f${i}`]: i })) }),
      (count: number) => ({ [operator]: some(count - 1, (i) => ({ f: { $gt: i } })) }),
      (count: number) => ({ [operator]: some(count - 1, () => ({})) }),
    ]),
    (count) => ({ $or: [fields(count - 2), { b: 1 }] }),
    (count) => ({ $not: fields(count - 1) }),
    (count) => ({ f: { $not: Object.fromEntries([['$gt', 0]]) }, ...fields(count - 2) }),
  ];
  for (const shape of shapes) {
    assert.equal(messageOf(shape(FILTER_CONDITIONS_MAX)), 'accepted');
    assert.equal(messageOf(shape(FILTER_CONDITIONS_MAX + 1)), tooMany);
  }
});

test('counts the values of a field once, however long the $or of them, or the $and of what they are not', () => {
  const values = Array.from({ length: 5_000 }, (_, i) => i);
  assert.deepEqual(parseFilter({ $or: values.map((f) => ({ f })) }), {
    kind: 'any',
    parts: [on('f', { op: 'in', values })],
  });
  assert.deepEqual(
    parseFilter({ $and: values.map((value) => ({ f: { $ne: value } })) }),
    on('f', { op: 'notIn', values }),
  );
});

test('quotes a huge or deep condition only in part', () => {
  const longest = CONDITION_CHARS_MAX * 2 + 100;
  const deep = nested(100_000, (inner) => [inner]);
  for (const condition of ['x'.repeat(1e6), Array(1e6).fill('abc'), { [`k${'x'.repeat(1e6)}`]: 1 }, deep]) {
    const message = messageOf({ ['f'.repeat(1e6)]: [condition] });
    assert.match(message, /^illegal condition for field f+\.\.\., got \[.*\.\.\.$/);
    assert.ok(message.length < longest, `${message.length} characters`);
  }
});

test('treats absent, null and empty filters as none where a filter is optional', () => {
  for (const none of [undefined, null, {}]) assert.equal(parseOptionalFilter(none), null);
  assert.deepEqual(parseOptionalFilter({ f: 1 }), equal('f', 1));
});

test('refuses a filter without any condition where one is required', () => {
  for (const none of [{}, { $and: [{}, {}] }, { $or: [{ f: 1 }, {}] }]) {
    assert.ok(isEmptyFilter(parseFilter(none)));
    assert.throws(() => parseRequiredFilter(none), { message: 'filter must not be empty' });
  }
  assert.deepEqual(parseRequiredFilter({ f: 1 }), equal('f', 1));
});
