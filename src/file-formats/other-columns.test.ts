// Files whose columns have other names than records, files of texts, and how much of wide ones is in memory.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { METADATA_BYTES_MAX } from '../domain/limits.ts';
import { bytesInMemory, FileProblem } from './file-bytes.ts';
import { FILE_START, type RecordShape, readRecords } from './read-records.ts';

const VECTORS: RecordShape = { vectorType: 'dense', metric: 'cosine', dimension: 2 };
const TEXTS: RecordShape = { ...VECTORS, textField: 'body' };
const TITLE: RecordShape = {
  ...VECTORS,
  documents: { fields: { embedding: { kind: 'dense', dimension: 2, metric: 'cosine', description: null } } },
};

const text = (name: string): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'OPTIONAL',
});
const number = (name: string): SchemaElement => ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' });
const list = (name: string, element: SchemaElement): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { ...element, name: 'element' },
];
const struct = (name: string, fields: readonly SchemaElement[][]): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: fields.length },
  ...fields.flat(),
];

function parquet(columns: readonly SchemaElement[][], rows: readonly Readonly<Record<string, unknown>>[]) {
  const columnData = columns.map(([column]) => {
    const name = column?.name ?? '';
    return { name, data: rows.map((row) => row[name] ?? null) };
  });
  const schema = [{ name: 'root', num_children: columns.length }, ...columns.flat()];
  return bytesInMemory(new Uint8Array(parquetWriteBuffer({ schema, columnData: columnData as never })));
}

const lines = (...rows: readonly object[]) =>
  bytesInMemory(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));

async function read(file: ReturnType<typeof lines>, format: 'jsonl' | 'parquet', shape: RecordShape) {
  const batches = await Array.fromAsync(readRecords(file, format, { place: FILE_START, shape }));
  return {
    batches,
    records: batches.flatMap(({ records }) =>
      records.map(({ id, values, metadataJson }) => ({
        id,
        ...(values !== null && { values: [...values] }),
        ...(metadataJson !== null && { metadata: JSON.parse(metadataJson) as unknown }),
      })),
    ),
    texts: batches.flatMap(({ pending }) => pending.map(({ dense, sparse, row }) => [dense, sparse, row])),
    refused: batches.flatMap(({ refused }) =>
      refused.map(({ row, id, reason }) => `${row} ${id}: ${reason}`),
    ),
  };
}

describe('an import that names columns', () => {
  const columns = { id: 'key', values: 'vector', year: 'released' };
  const row = { key: 'a', vector: [1, 2], released: 1979, tags: ['x', 'y'], author: { name: 'Ann', age: 4 } };
  const wide = [
    [text('key')],
    list('vector', number('')),
    [number('released')],
    list('tags', text('')),
    struct('author', [[text('name')], [number('age')]]),
  ];

  it('takes them for the fields of records, and the others for metadata', async () => {
    const metadata = { year: 1979, tags: ['x', 'y'], 'author.name': 'Ann', 'author.age': 4 };
    const fromParquet = await read(parquet(wide, [row]), 'parquet', { ...VECTORS, columns });
    assert.deepEqual(fromParquet.records, [{ id: 'a', values: [1, 2], metadata }]);
    const { author: _, ...flat } = row;
    const line = { ...flat, metadata: { seen: true } };
    const fromLines = await read(lines(line), 'jsonl', { ...VECTORS, columns });
    const expected = { seen: true, year: 1979, tags: ['x', 'y'] };
    assert.deepEqual(fromLines.records, [{ id: 'a', values: [1, 2], metadata: expected }]);
    const json = [text('key'), text('metadata')].map((each) => [each]);
    const both = parquet([...json, ...wide.slice(1)], [{ ...row, metadata: '{"seen":true}' }]);
    const joined = await read(both, 'parquet', { ...VECTORS, columns });
    assert.deepEqual(joined.records[0]?.metadata, { seen: true, ...metadata });
  });

  it('takes them for the fields of documents, too', async () => {
    const shape = { ...TITLE, columns: { _id: 'key', embedding: 'vector' } };
    const expected = [{ id: 'a', values: [1, 2], metadata: { released: 1979, tags: ['x', 'y'] } }];
    const { author: _, ...flat } = row;
    assert.deepEqual((await read(lines(flat), 'jsonl', shape)).records, expected);
    assert.deepEqual((await read(parquet(wide.slice(0, 4), [flat]), 'parquet', shape)).records, expected);
  });

  it('refuses files without such a column, or with two for a field, and rows with a field twice', async () => {
    const file = parquet(wide, [row]);
    const again = parquet([...wide, list('values', number(''))], [row]);
    const problems = [
      [file, { ...columns, values: 'vectr' }, /has no column 'vectr' for 'values'/],
      [file, { ...columns, id: 'author' }, /column 'author' must be of type string/],
      [file, { ...columns, tags: 'released', year: 'none' }, /two columns for 'tags'/],
      [again, columns, /two columns for 'values'/],
      [file, null, /unknown column 'key'/],
    ] as const;
    for (const [from, named, message] of problems) {
      await assert.rejects(
        read(from, 'parquet', { ...VECTORS, columns: named }),
        (error) => error instanceof FileProblem && message.test(error.message),
      );
    }
    const { refused } = await read(
      lines(
        { key: 'a', vector: [1, 2], values: [1, 2] },
        { key: 'b', vector: [1, 2], year: 1, metadata: { year: 2 } },
        { key: 7, vector: [1, 2] },
      ),
      'jsonl',
      { ...VECTORS, columns },
    );
    assert.match(refused[0] ?? '', /^1 a: there are two columns for 'values'/);
    assert.match(refused[1] ?? '', /^2 b: Column metadata has the field 'year'/);
    assert.match(refused[2] ?? '', /^3 null: /);
  });
});

describe('a file of texts', () => {
  it('has an id, the text and other fields, as an upsert does', async () => {
    const rows = [
      { _id: 'a', body: 'Apples.', year: 2024, tags: ['x'] },
      { _id: 'b', body: 'Pears.' },
    ];
    const expected = rows.map(({ _id: id, ...metadata }) => ({ id, metadata }));
    const texts = [
      ['Apples.', null, 1],
      ['Pears.', null, 2],
    ];
    const found = await read(lines(...rows), 'jsonl', TEXTS);
    assert.deepEqual([found.records, found.texts, found.refused], [expected, texts, []]);
    for (const id of ['id', '_id']) {
      const columns = [[text(id)], [text('body')], [number('year')], list('tags', text(''))];
      const file = parquet(
        columns,
        rows.map((row) => ({ ...row, [id]: row._id })),
      );
      const read2 = await read(file, 'parquet', TEXTS);
      assert.deepEqual([read2.records, read2.texts, read2.refused], [expected, texts, []]);
    }
    const sparse = await read(lines(...rows), 'jsonl', { ...TEXTS, vectorType: 'sparse', dimension: null });
    assert.deepEqual(sparse.texts[0], [null, 'Apples.', 1]);
  });

  it('may have further fields in metadata, and its text in a field of that name', async () => {
    const nested = lines(
      { id: 'a', body: 'x', metadata: { n: 1 } },
      { id: 'b', body: 'x', metadata: '{"n":2}' },
    );
    const { records } = await read(nested, 'jsonl', TEXTS);
    assert.deepEqual(
      records.map(({ metadata }) => metadata),
      [
        { n: 1, body: 'x' },
        { n: 2, body: 'x' },
      ],
    );
    const own = await read(lines({ id: 'a', metadata: 'x' }), 'jsonl', { ...TEXTS, textField: 'metadata' });
    assert.deepEqual([own.records[0]?.metadata, own.texts], [{ metadata: 'x' }, [['x', null, 1]]]);
  });

  it('has its wrong rows refused by the rules and messages of an upsert', async () => {
    const wrong = lines(
      { id: 'a' },
      { id: 'b', body: ' ' },
      { id: 'c', body: 7 },
      { body: 'x' },
      { id: 'd', _id: 'd', body: 'x' },
      { id: 'e', body: 'x', nested: { a: 1 } },
      { id: 'f', body: 'x'.repeat(METADATA_BYTES_MAX) },
    );
    const { refused, records } = await read(wrong, 'jsonl', TEXTS);
    assert.deepEqual(records, []);
    for (const [at, reason] of [
      /^1 a: Field 'body', which the index embeds, is missing/,
      /^2 b: .*must not be empty/,
      /^3 c: .*must be a string/,
      /^4 null: A record needs an _id/,
      /^5 d: Give either _id or id/,
      /^6 e: .*nested/,
      /^7 f: .*40960|^7 f: .*metadata/i,
    ].entries())
      assert.match(refused[at] ?? '', reason);
    const vectors = parquet([[text('id')], list('values', number(''))], [{ id: 'a', values: [1, 2] }]);
    await assert.rejects(read(vectors, 'parquet', TEXTS), /column 'values' must be a string/);
  });
});

describe('a column without a value', () => {
  /** As writers make it that find no value to take a type from: always null. */
  const none = (name: string): SchemaElement => ({
    name,
    type: 'INT32',
    logical_type: { type: 'NULL' } as never,
    repetition_type: 'OPTIONAL',
  });
  const columns = [[text('id')], list('values', number(''))];
  const row = { id: 'a', values: [1, 2] };
  const vector = { id: 'a', values: [1, 2] };

  it('is like one that is not there, as metadata, sparse values or another column', async () => {
    const empty = [
      [none('metadata')],
      [none('sparse_values')],
      struct('sparse_values', [list('indices', none('')), list('values', none(''))]),
      struct('metadata', [[none('a')], list('b', none(''))]),
      [none('other')],
      list('other', none('')),
      struct('other', [[none('a')]]),
    ];
    for (const column of empty) {
      const file = parquet([...columns, column], [row]);
      const hybrid = { ...VECTORS, metric: 'dotproduct' } as const;
      for (const named of [{}, { columns: {} }]) {
        const { records, refused } = await read(file, 'parquet', { ...hybrid, ...named });
        assert.deepEqual([records, refused], [[vector], []], String(column[0]?.name));
      }
    }
  });

  it('leaves the other fields of its struct, and may have another name', async () => {
    const metadata = struct('metadata', [[none('a')], [number('n')], list('b', none(''))]);
    const file = parquet([...columns, metadata, [none('released')]], [{ ...row, metadata: { n: 1 } }]);
    const { records } = await read(file, 'parquet', { ...VECTORS, columns: { year: 'released' } });
    assert.deepEqual(records, [{ ...vector, metadata: { n: 1 } }]);
  });

  it('is missed where records need one', async () => {
    const noId = parquet([[none('id')], list('values', number(''))], [{ values: row.values }]);
    await assert.rejects(read(noId, 'parquet', VECTORS), /no column 'id'/);
    const noVectors = await read(
      parquet([[text('id')], [none('values')]], [{ id: 'a' }]),
      'parquet',
      VECTORS,
    );
    assert.match(noVectors.refused[0] ?? '', /^1 a: /);
  });
});

describe('a wide file', () => {
  const bytesOf = (batch: { readonly records: readonly { readonly metadataJson: string | null }[] }) =>
    batch.records.reduce((sum, { metadataJson }) => sum + (metadataJson?.length ?? 0), 0);

  it('is read in batches whose metadata is bounded, be it texts, a struct or lists in it', async () => {
    const ROWS = 900;
    const LENGTH = 12_000;
    const long = 'x'.repeat(LENGTH);
    const names = ['a', 'b', 'c'];
    const row = {
      id: 'r',
      values: [1, 2],
      metadata: Object.fromEntries(names.map((name) => [name, name === 'c' ? [long, 'y'] : long])),
    };
    const fields = [[text('a')], [text('b')], list('c', text(''))];
    const columns = [[text('id')], list('values', number('')), struct('metadata', fields)];
    const rows = Array.from({ length: ROWS }, (_, at) => ({ ...row, id: `r${at}` }));
    const { batches, records, refused } = await read(parquet(columns, rows), 'parquet', VECTORS);
    assert.deepEqual(refused, []);
    assert.equal(records.length, ROWS);
    assert.deepEqual(records.at(-1), { ...row, id: `r${ROWS - 1}` });
    const largest = Math.max(...batches.map(bytesOf));
    assert.ok(largest <= 8 * 1024 * 1024 + names.length * LENGTH, `a batch has ${largest} bytes`);
  });

  it('is refused where metadata has more columns than can be read at once', async () => {
    const fields = Array.from({ length: 1_001 }, (_, at) => [number(`f${at}`)]);
    const columns = [[text('id')], list('values', number('')), struct('metadata', fields)];
    const file = parquet(columns, [{ id: 'a', values: [1, 2], metadata: { f0: 1 } }]);
    await assert.rejects(read(file, 'parquet', VECTORS), /1001 columns of metadata; at most 1000/);
  });
});
