// Which records each operator matches: the contract's table of missing fields and mismatched types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from './matches.ts';
import { parseFilter } from './parse-filter.ts';

type Metadata = Parameters<typeof matches>[1];

const CASES: readonly (readonly [title: string, filter: object, selected: Metadata[], left: Metadata[]])[] = [
  ['$eq matches the same type and value', { f: 1 }, [{ f: 1 }], [{ f: '1' }, { f: true }, { f: 2 }, {}]],
  ['$eq is exact on strings', { f: 'é' }, [{ f: 'é' }], [{ f: 'É' }, { f: 'e\u0301' }, { f: '' }]],
  ['a boolean is not a number', { f: true }, [{ f: true }], [{ f: 1 }, { f: 'true' }, { f: false }]],
  ['-0 equals 0', { f: 0 }, [{ f: 0 }, { f: -0 }], [{ f: false }, { f: '' }]],
  ['a list matches by any element', { f: 'a' }, [{ f: ['b', 'a'] }], [{ f: ['b'] }, { f: [] }]],
  [
    '$ne also selects absent fields',
    { f: { $ne: 'a' } },
    [{}, { g: 'a' }, { f: 'b' }, { f: 1 }, { f: ['b'] }, { f: [] }],
    [{ f: 'a' }, { f: ['b', 'a'] }],
  ],
  [
    '$nin also selects absent fields',
    { f: { $nin: ['a', 1] } },
    [{}, { f: 'b' }, { f: [] }],
    [{ f: 'a' }, { f: 1 }, { f: ['a'] }],
  ],
  ['$in of nothing selects nothing', { f: { $in: [] } }, [], [{}, { f: 1 }, { f: [] }]],
  ['$nin of nothing selects everything', { f: { $nin: [] } }, [{}, { f: 1 }, { f: [] }], []],
  [
    'ranges look at numbers alone',
    { f: { $gt: 1 } },
    [{ f: 1.5 }],
    [{ f: 1 }, { f: '2' }, { f: true }, { f: ['2'] }, {}],
  ],
  [
    'bounds are included by $gte and $lte',
    { f: { $gte: 1, $lte: 2 } },
    [{ f: 1 }, { f: 2 }],
    [{ f: 0 }, { f: 3 }],
  ],
  ['bounds are left out by $lt', { f: { $lt: 1 } }, [{ f: 0 }, { f: -5 }], [{ f: 1 }, {}]],
  ['NaN is present and equals nothing', { f: { $lte: 5 } }, [], [{ f: Number.NaN }]],
  ['$exists sees every type', { f: { $exists: true } }, [{ f: false }, { f: 0 }, { f: '' }, { f: [] }], [{}]],
  ['$exists false finds absent fields', { f: { $exists: false } }, [{}, { g: 1 }], [{ f: [] }]],
  ['$not inverts, absent fields included', { f: { $not: { $eq: 'a' } } }, [{}, { f: 'b' }], [{ f: 'a' }]],
  [
    'two conditions on a list may hold for two elements',
    { $and: [{ f: 'a' }, { f: 'b' }] },
    [{ f: ['a', 'b'] }],
    [{ f: ['a'] }],
  ],
  ['$or needs one part', { $or: [{ f: 1 }, { g: 2 }] }, [{ f: 1 }, { g: 2 }], [{}, { f: 2 }]],
  [
    'an inherited property is not a field',
    { constructor: { $exists: true } },
    [JSON.parse('{"constructor":1}')],
    [{}],
  ],
];

for (const [title, filter, selected, left] of CASES) {
  test(title, () => {
    const parsed = parseFilter(filter);
    for (const metadata of selected) assert.equal(matches(parsed, metadata), true, JSON.stringify(metadata));
    for (const metadata of left) assert.equal(matches(parsed, metadata), false, JSON.stringify(metadata));
  });
}

test('treats a field that is not filterable as absent', () => {
  const select = (filter: object): boolean =>
    matches(parseFilter(filter), { f: 1 }, { isFilterable: (field) => field !== 'f' });
  assert.equal(select({ f: 1 }), false);
  assert.equal(select({ f: { $ne: 1 } }), true);
  assert.equal(select({ f: { $nin: [1] } }), true);
  assert.equal(select({ f: { $exists: false } }), true);
});
