// Guarantees of texts in Parquet: what is not UTF-8 is refused with its row, and never changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { bytesInMemory } from '../file-bytes.ts';
import { FILE_START, readRecords } from '../read-records.ts';

const SHAPE = { vectorType: 'dense', metric: 'cosine', dimension: 1, columns: { id: 'id' } } as const;
const LATIN_1 = Uint8Array.of(0x63, 0x61, 0x66, 0xe9);
const OWN_REPLACEMENT = 'caf\ufffd';

const text = (name: string): SchemaElement => ({ name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' });
const list = (name: string, element: SchemaElement): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { ...element, name: 'element' },
];

interface Written {
  readonly id: unknown;
  readonly title?: unknown;
  readonly tags?: readonly unknown[];
  readonly metadata?: unknown;
}

async function read(rows: readonly Written[]) {
  const schema = [
    { name: 'root', num_children: 5 },
    text('id'),
    ...list('values', { name: '', type: 'FLOAT', repetition_type: 'OPTIONAL' }),
    text('title'),
    ...list('tags', text('')),
    text('metadata'),
  ];
  const columnData = (['id', 'values', 'title', 'tags', 'metadata'] as const).map((name) => ({
    name,
    data: rows.map((row) => (name === 'values' ? [1] : (row[name] ?? null))),
  }));
  const bytes = new Uint8Array(parquetWriteBuffer({ schema, columnData: columnData as never }));
  const batches = await Array.fromAsync(
    readRecords(bytesInMemory(bytes), 'parquet', { place: FILE_START, shape: SHAPE }),
  );
  return {
    records: batches.flatMap(({ records }) =>
      records.map(({ id, metadataJson }) => [id, JSON.parse(metadataJson ?? '{}')]),
    ),
    refused: batches.flatMap(({ refused }) => refused.map(({ row, id, reason }) => [row, id, reason])),
  };
}

test('refuses a row with a text that is not UTF-8, in any column, and takes all others as they are', async () => {
  const reason = (column: string) => `The text of column '${column}' is not valid UTF-8`;
  const { records, refused } = await read([
    { id: 'a', title: 'café', tags: ['épique', OWN_REPLACEMENT] },
    { id: 'b', title: LATIN_1, tags: ['x'] },
    { id: LATIN_1, title: 'x' },
    { id: 'd', tags: ['x', LATIN_1, 'y'] },
    { id: 'e', tags: [OWN_REPLACEMENT], metadata: '{"n":1}' },
    { id: 'f', metadata: Buffer.concat([Buffer.from('{"n":"'), LATIN_1, Buffer.from('"}')]) },
    { id: 'g', title: OWN_REPLACEMENT },
  ]);
  assert.deepEqual(records, [
    ['a', { title: 'café', tags: ['épique', OWN_REPLACEMENT] }],
    ['e', { tags: [OWN_REPLACEMENT], n: 1 }],
    ['g', { title: OWN_REPLACEMENT }],
  ]);
  assert.deepEqual(refused, [
    [2, 'b', reason('title')],
    [3, null, reason('id')],
    [4, 'd', reason('tags.list.element')],
    [6, 'f', reason('metadata')],
  ]);
});

test('refuses a text that is too long for its length, wherever it is cut', async () => {
  for (const letter of ['é', '€', '😀']) {
    const { refused } = await read([
      { id: letter.repeat(2_000) },
      { id: 'b', title: `x${letter.repeat(30_000)}` },
    ]);
    assert.equal(refused.length, 2);
    for (const [, , reason] of refused) assert.doesNotMatch(String(reason), /UTF-8/);
  }
});
