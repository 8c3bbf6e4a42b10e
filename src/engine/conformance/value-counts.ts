// Conformance: the most frequent values of metadata fields among the records that match.
import assert from 'node:assert/strict';
import type { Metadata, ValuesRequest } from '../port/reader-and-writer.ts';
import { articles, DOCUMENTS, document, TEXTS_ONLY, term } from './document-data.ts';
import { type Check, DRAMA, SPARSE } from './harness.ts';
import { dense, sampleQuery, sparseOf, sparseOnly, where } from './sample-data.ts';

function request(fields: readonly string[], more: Partial<ValuesRequest> = {}): ValuesRequest {
  const limited = fields.map((field) => ({ field, limit: 10 }));
  return { namespace: '', filter: null, among: null, fields: limited, ...more };
}

function films(): readonly Metadata[] {
  return [
    { genre: 'drama', year: 2020, tags: ['a', 'b', 'a'] },
    { genre: 'drama', year: 2020.5, tags: ['b'], seen: true },
    { genre: 'comedy', year: 2020, tags: [] },
    { genre: 7, year: -0, tags: 'b', seen: false },
    {},
  ];
}

export function valueCounts(check: Check): void {
  check('counts values of every type, lists by their different strings', {}, async ({ reader, writer }) => {
    await writer.upsert(
      '',
      films().map((film, i) => dense(`f${i}`, [1, i, 0, 0], film)),
    );
    const counted = await reader.countValues(request(['genre', 'year', 'tags', 'seen', 'none']));
    const shown = counted.map(({ field, values }) => [
      field,
      values.map(({ value, count }) => [value, count]),
    ]);
    assert.deepEqual(shown, [
      [
        'genre',
        [
          ['drama', 2],
          [7, 1],
          ['comedy', 1],
        ],
      ],
      [
        'year',
        [
          [2020, 2],
          [0, 1],
          [2020.5, 1],
        ],
      ],
      [
        'tags',
        [
          ['b', 3],
          ['a', 1],
        ],
      ],
      [
        'seen',
        [
          [false, 1],
          [true, 1],
        ],
      ],
      ['none', []],
    ]);
  });
  check('returns the most frequent values, and how many there are', {}, async ({ reader, writer }) => {
    await writer.upsert(
      '',
      films().map((film, i) => dense(`f${i}`, [1, i, 0, 0], film)),
    );
    const fields = [{ field: 'genre', limit: 1 }];
    const drama = { field: 'genre', values: [{ value: 'drama', count: 2 }] };
    assert.deepEqual(await reader.countValues({ ...request([]), fields }), [
      { ...drama, distinct: 3, isExact: true },
    ]);
    assert.deepEqual(await reader.countValues({ ...request([]), fields, filter: DRAMA }), [
      { ...drama, distinct: 1, isExact: true },
    ]);
    const none = [{ field: 'genre', values: [], distinct: 0, isExact: true }];
    assert.deepEqual(await reader.countValues(request(['genre'], { namespace: 'none' })), none);
  });
  check('returns the first of equally frequent values', {}, async ({ reader, writer }) => {
    const names = Array.from({ length: 60 }, (_, i) => `v${(i * 37) % 60}`);
    await writer.upsert(
      '',
      names.map((name, i) =>
        dense(`r${i}`, [1, i, 0, 0], { name, n: (i * 7) % 60, both: i === 9 ? 'v9' : 'w' }),
      ),
    );
    const fields = ['name', 'n', 'both'].map((field) => ({ field, limit: 3 }));
    const counted = await reader.countValues({ ...request([]), fields });
    assert.deepEqual(
      counted.map(({ values }) => values.map(({ value }) => value)),
      [
        ['v0', 'v1', 'v10'],
        [0, 1, 2],
        ['w', 'v9'],
      ],
    );
  });
  check('counts none of a field that filters cannot use', { filterableFields: ['year'] }, async (index) => {
    await index.writer.upsert('', [dense('a', [1, 0, 0, 0], { genre: 'drama', year: 2020 })]);
    const counted = await index.reader.countValues(request(['genre', 'year']));
    assert.deepEqual(
      counted.map(({ distinct }) => distinct),
      [0, 1],
    );
  });
  check('follows changes and deletions', {}, async ({ reader, writer }) => {
    await writer.upsert('', [
      dense('a', [1, 0, 0, 0], { genre: 'drama' }),
      dense('b', [1, 0, 0, 0], { genre: 'drama' }),
    ]);
    await writer.upsert('', [dense('a', [1, 0, 0, 0], { genre: 'comedy' })]);
    await writer.deleteIds('', ['b']);
    const [counted] = await reader.countValues(request(['genre']));
    assert.deepEqual(counted?.values, [{ value: 'comedy', count: 1 }]);
  });
  check('counts among the records that share an index', SPARSE, async ({ reader, writer }) => {
    await writer.upsert('', [
      sparseOnly('a', [[1, 1]], { n: 1 }),
      sparseOnly('b', [[2, 1]], { n: 2 }),
      sparseOnly('c', [[2, -1]], { n: 2 }),
    ]);
    const among = [{ sparse: sparseOf([[2, 1]]), text: null }];
    const [counted] = await reader.countValues(request(['n'], { among }));
    assert.deepEqual(counted?.values, [{ value: 2, count: 2 }]);
    assert.equal(await reader.count('', null, among), 2);
    for (const topK of [1, 2, 3]) {
      const counted = await reader.countedQuery(
        sampleQuery({ values: null, sparse: sparseOf([[2, 1]]), topK }),
      );
      assert.deepEqual([counted.matches.length, counted.matched], [Math.min(topK, 2), 2]);
    }
    assert.equal(await reader.count('', where('n', { op: 'in', values: [1] }), among), 0);
    assert.equal(await reader.count('', null, []), 0);
    assert.equal(await reader.count('', null), 3);
  });
}

export function textValueCounts(check: Check): void {
  check(
    'counts among the records that match one of several texts',
    TEXTS_ONLY,
    async ({ reader, writer }) => {
      await writer.upsert(
        '',
        articles().map((record) => ({ ...record, values: null })),
      );
      const text = (word: string) => ({ text: term('text', word), sparse: null });
      const [any] = await reader.countValues(request(['group'], { among: [text('apple'), text('car')] }));
      assert.deepEqual(any?.values, [
        { value: 'fruit', count: 1 },
        { value: 'vehicle', count: 1 },
      ]);
      assert.equal(await reader.count('', null, [text('apple'), text('car')]), 2);
      assert.equal(await reader.count('', null, [text('apple')]), 1);
      const fruits = sampleQuery({ ...text('fruit'), topK: 1 });
      const counted = await reader.countedQuery(fruits);
      assert.deepEqual([counted.matches, counted.matched], [await reader.query(fruits), 2]);
      const late = where('year', { op: 'in', values: [2022] });
      assert.equal((await reader.countedQuery({ ...fruits, filter: late })).matched, 1);
      assert.equal((await reader.countedQuery({ ...fruits, ...text('plum') })).matched, 0);
      assert.equal((await reader.countedQuery({ ...fruits, namespace: 'none' })).matched, 0);
      await writer.deleteIds('', ['car']);
      assert.equal(await reader.count('', null, [text('apple'), text('car')]), 1);
      assert.equal(await reader.count('', null, [text('car')]), 0);
      const [none] = await reader.countValues(request(['group', 'text'], { among: [] }));
      assert.deepEqual(none?.values, []);
    },
  );
  check('counts among sparse vectors and texts together', DOCUMENTS, async ({ reader, writer }) => {
    const sparse = sparseOf([[3, 1]]);
    await writer.upsert('', [...articles(), { ...document('s', { group: 'sparse' }), sparse }]);
    const among = [
      { sparse, text: null },
      { sparse: null, text: term('text', 'pear') },
    ];
    const [counted] = await reader.countValues(request(['group'], { among }));
    assert.deepEqual(counted?.values, [
      { value: 'fruit', count: 1 },
      { value: 'sparse', count: 1 },
    ]);
    assert.equal(await reader.count('', null, among), 2);
    assert.equal(await reader.count('', where('group', { op: 'in', values: ['sparse'] }), among), 1);
  });
}
