// Guarantees of rows of any Parquet file as JSON: what cannot be kept as it is gets refused, by column.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { PARSERS, plainRow, readingOptions, Unreadable } from './plain-rows.ts';

type Leaf = Omit<SchemaElement, 'name' | 'repetition_type'>;

/** The rows of a file with columns of these types. */
async function rowsOf(columns: Readonly<Record<string, { readonly type: Leaf; readonly data: unknown[] }>>) {
  const all = Object.entries(columns);
  const leaves = all.map(([name, { type }]) => ({ name, repetition_type: 'OPTIONAL' as const, ...type }));
  return rowsOfFile(
    [{ name: 'schema', num_children: all.length }, ...leaves],
    all.map(([name, { data }]) => ({ name, data })),
  );
}

async function rowsOfFile(schema: SchemaElement[], columnData: ColumnSource[]) {
  const file = parquetWriteBuffer({ schema, columnData });
  const metadata = parquetMetadata(file);
  const rows = await parquetReadObjects({ file, parsers: PARSERS, ...readingOptions(metadata) });
  return rows.map((row) => plainRow(row, parquetSchema(metadata), (date) => date.toJSON()));
}

const DECIMAL = { converted_type: 'DECIMAL', scale: 2, precision: 30 } as const;
const UNSCALED = [1999n, null, -5n, 1999n];

describe('rows of a Parquet file', () => {
  it('have the decimals of the file, however it stores them, and absent cells nowhere', async () => {
    for (const type of [
      { type: 'INT32' },
      { type: 'INT64' },
      { type: 'BYTE_ARRAY' },
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 },
    ] as const) {
      const rows = await rowsOf({
        price: { type: { ...type, ...DECIMAL }, data: UNSCALED },
        name: { type: { type: 'BYTE_ARRAY' }, data: ['a', 'b', null, 'd'].map(bytesOf) },
      });
      const expected = [
        { price: 19.99, name: 'a' },
        { name: 'b' },
        { price: -0.05 },
        { price: 19.99, name: 'd' },
      ];
      assert.deepEqual(rows, expected, type.type);
    }
  });

  it('have decimals that JSON numbers do not hold as texts, also where only the newer annotation tells them', async () => {
    const data = [123456789012345678n, 7n];
    const logical = { type: 'INT64', logical_type: { type: 'DECIMAL', scale: 2, precision: 18 } } as const;
    for (const type of [logical, { type: 'INT64', ...DECIMAL }] as const)
      assert.deepEqual(await rowsOf({ n: { type, data } }), [{ n: '1234567890123456.78' }, { n: 0.07 }]);
  });

  it('have the decimals of lists and structs', async () => {
    const price = { type: 'INT64', ...DECIMAL } as const;
    const rows = await rowsOfFile(
      [
        { name: 'schema', num_children: 2 },
        { name: 'prices', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'OPTIONAL', ...price },
        { name: 'shop', repetition_type: 'OPTIONAL', num_children: 2 },
        { name: 'price', repetition_type: 'OPTIONAL', ...price },
        { name: 'name', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      ],
      [
        { name: 'prices', data: [[1999n, null, 5n], [], null] },
        { name: 'shop', data: [{ price: 1999n, name: 'a' }, { price: null, name: 'b' }, null] },
      ],
    );
    assert.deepEqual(rows, [
      { prices: [19.99, null, 0.05], shop: { price: 19.99, name: 'a' } },
      { prices: [], shop: { name: 'b' } },
      {},
    ]);
  });

  it('have no damaged text where one is not UTF-8, but a problem that names the column', async () => {
    for (const converted of ['UTF8', undefined] as const) {
      const type = { type: 'BYTE_ARRAY' as const, ...(converted && { converted_type: converted }) };
      const data = [Buffer.from('caf\u00e9', 'latin1')];
      const [row] = await rowsOf({ note: { type, data } });
      assert.match(problemOf(row?.note), /a text of column 'note' is not valid UTF-8/);
    }
    const texts = ['caf\u00e9 \ufffd', '\ufeffx'];
    const type = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
    const rows = await rowsOf({ note: { type, data: texts } });
    assert.deepEqual(
      rows.map(({ note }) => note),
      texts,
    );
  });

  it('have a problem in the place of bytes of a fixed length, and all their other columns', async () => {
    const bytes = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 4 } as const;
    const [row, without] = await rowsOf({
      hash: { type: bytes, data: [Uint8Array.of(1, 2, 3, 4), null] },
      size: { type: { type: 'INT32' }, data: [4, 5] },
    });
    assert.match(problemOf(row?.hash), /column 'hash' has bytes/);
    assert.equal(row?.size, 4);
    assert.deepEqual(without, { size: 5 });
  });

  it('have dates, large numbers and JSON in their own forms', async () => {
    const rows = await rowsOf({
      day: { type: { type: 'INT32', converted_type: 'DATE' }, data: [new Date('2026-01-02')] },
      big: { type: { type: 'INT64' }, data: [9007199254740993n] },
      small: { type: { type: 'INT64' }, data: [7n] },
      json: {
        type: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
        data: [{ a: [1, null], b: null, c: { d: 'e' } }],
      },
    });
    const json = { a: [1, null], c: { d: 'e' } };
    assert.deepEqual(rows, [{ day: '2026-01-02T00:00:00.000Z', big: '9007199254740993', small: 7, json }]);
  });
});

function problemOf(value: unknown): string {
  assert.ok(value instanceof Unreadable);
  return value.problem;
}

function bytesOf(text: string | null): Uint8Array | null {
  return text === null ? null : Buffer.from(text);
}
