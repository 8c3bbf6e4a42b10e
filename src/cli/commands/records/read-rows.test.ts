// Rows of files: what the cells of CSV become.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { ParquetRecordWriter } from '../../../file-formats/parquet/write-file.ts';
import type { Io } from '../../command.ts';
import { silentIo } from '../../testing/fake-server.ts';
import { rowSources } from './read-rows.ts';
import { wireRecord } from './wire-records.ts';

const FORM = { names: new Map<string, string>(), textFields: [] as readonly string[], textColumns: [] };

test('reads cells that are JSON as such, and keeps others and whole numbers beyond 2^53 as texts', async () => {
  const cells = {
    '1979': 1979,
    '-0.5e3': -500,
    '9007199254740991': Number.MAX_SAFE_INTEGER,
    '9007199254740993': '9007199254740993',
    '-9007199254740993': '-9007199254740993',
    '1e300': 1e300,
    '1e999': '1e999',
    true: true,
    '01234': '01234',
    '[1,2]': [1, 2],
    '[deleted]': '[deleted]',
    '{x}': '{x}',
    '[1, 2': '[1, 2',
    '{"indices":[1],"values":[2]}': { indices: [1], values: [2] },
  };
  for (const [cell, value] of Object.entries(cells)) assert.deepEqual(await fieldOf(cell), value, cell);
});

test('keeps cells of CSV as texts in the texts of the index and in the columns that are named, under any name', async () => {
  const names = new Map([['postal', 'zip']]);
  const form = { format: 'csv', names, textFields: ['text'], textColumns: ['postal', 'code'] };
  const csv = 'id,text,postal,code,year\n3,1984,12345,[1],1984\n';
  const rowsWith = async (more: object) => {
    const [source] = await rowSources([], { ...form, ...more }, ioOf(Buffer.from(csv)));
    return Array.fromAsync(source?.rows(() => undefined) ?? []);
  };
  const texts = { id: '3', text: '1984', zip: '12345', code: '[1]', year: 1984 };
  assert.deepEqual(await rowsWith({}), [texts]);
  const numbers = { id: '3', text: 1984, zip: 12345, code: [1], year: 1984 };
  assert.deepEqual(await rowsWith({ textFields: [], textColumns: [] }), [numbers]);
  await assert.rejects(
    rowsWith({ textColumns: ['zip'] }),
    /there is no column 'zip', which --text-columns names/,
  );
});

test('refuses CSV and JSON that are not UTF-8, naming the line, instead of storing damaged texts', async () => {
  const windows1252 = (text: string) => Buffer.from(text, 'latin1');
  for (const [format, text] of [
    ['csv', 'id,field\n1,plain\n2,caf\u00e9\n'],
    ['json', '[\n{"id":"1"},\n{"id":"2","field":"caf\u00e9"}]'],
  ] as const) {
    await assert.rejects(rowsOf(windows1252(text), format), /line 3 is not valid UTF-8/, format);
    const cut = Buffer.from(text.slice(0, text.indexOf('\u00e9') + 1)).subarray(0, -1);
    await assert.rejects(rowsOf(cut, format), /line 3 is not valid UTF-8/, format);
  }
});

test('reads characters that are cut by the pieces of a stream, and texts behind a byte order mark', async () => {
  const rows = [{ id: '1', field: 'caf\u00e9 \ud83c\udfac \ufffd' }];
  for (const [format, text] of [
    ['csv', `id,field\n1,${rows[0]?.field}`],
    ['json', JSON.stringify(rows)],
    ['jsonl', JSON.stringify(rows[0])],
  ] as const)
    assert.deepEqual(await rowsOf(Buffer.from(`\ufeff${text}`), format), rows, format);
});

test('reads decimals of Parquet as they are, and refuses texts that are not UTF-8, naming column and row', async () => {
  const element = {
    repetition_type: 'OPTIONAL',
    converted_type: 'DECIMAL',
    scale: 2,
    precision: 18,
  } as const;
  const fileOf = (name: Uint8Array) =>
    Buffer.from(
      parquetWriteBuffer({
        schema: [
          { name: 'schema', num_children: 2 },
          { name: 'price', type: 'INT64', ...element },
          { name: 'name', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', converted_type: 'UTF8' },
        ],
        columnData: [
          { name: 'price', data: [1999n, 1234567890123456789n] },
          { name: 'name', data: [Buffer.from('a'), name] },
        ],
      }),
    );
  assert.deepEqual(await rowsOf(fileOf(Buffer.from('caf\u00e9')), 'parquet'), [
    { price: 19.99, name: 'a' },
    { price: '12345678901234567.89', name: 'caf\u00e9' },
  ]);
  await assert.rejects(
    rowsOf(fileOf(Buffer.from('caf\u00e9', 'latin1')), 'parquet'),
    /near row 2: a text of column 'name' is not valid UTF-8/,
  );
});

test('keeps a text of the index that is called metadata, and reads the metadata beside it', async () => {
  const text = { description: null, storeText: true, fullText: null, embed: null, sparseEmbed: null };
  const documents = { fields: { metadata: { ...text, kind: 'string' as const } } };
  const parts: Uint8Array[] = [];
  const writer = new ParquetRecordWriter(async (bytes) => void parts.push(Uint8Array.from(bytes)), {
    documents,
  });
  for (const metadata of ['About metadata', '{"not": "parsed"}']) {
    const metadataJson = JSON.stringify({ metadata, year: 1999 });
    await writer.add({ id: 'a', values: null, sparse: null, metadataJson });
  }
  await writer.finish();
  const rows = await rowsOf(Buffer.concat(parts), 'parquet', { textFields: ['metadata'] });
  assert.deepEqual(
    rows.map((row) => wireRecord(row, 'documents')),
    ['About metadata', '{"not": "parsed"}'].map((metadata) => ({ _id: 'a', metadata, year: 1999 })),
  );
});

test('takes CSV with several empty columns without names, and refuses it where one of their cells has a value', async () => {
  const csv = 'id,text,,\n1,a,,\n2,b,,\n';
  assert.deepEqual(await rowsOf(Buffer.from(csv), 'csv'), [
    { id: '1', text: 'a' },
    { id: '2', text: 'b' },
  ]);
  for (const cells of ['x,', ',x'])
    await assert.rejects(
      rowsOf(Buffer.from(`${csv}3,c,${cells}\n`), 'csv'),
      /near row 3: the cell 'x' is in one of several columns without names/,
    );
  assert.deepEqual(await rowsOf(Buffer.from(',id\n0,a\n'), 'csv'), [{ '': 0, id: 'a' }]);
});

test('keeps columns of CSV whose names have a meaning in JavaScript', async () => {
  const [row] = await rowsOf(Buffer.from('id,constructor,__proto__\n1,a,b\n'), 'csv');
  assert.equal(JSON.stringify(row), '{"id":"1","constructor":"a","__proto__":"b"}');
});

test('refuses CSV with two columns of one name, and Parquet with a struct that gives a name which another column has', async () => {
  await assert.rejects(rowsOf(Buffer.from('id,tag,tag\n1,a,b\n'), 'csv'), /two columns are named 'tag'/);
  const text = { type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', converted_type: 'UTF8' } as const;
  const file = parquetWriteBuffer({
    schema: [
      { name: 'schema', num_children: 2 },
      { name: 'author.name', ...text },
      { name: 'author', repetition_type: 'OPTIONAL', num_children: 2 },
      { name: 'name', ...text },
      { name: 'land', ...text },
    ],
    columnData: [
      { name: 'author.name', data: [null, 'a'] },
      {
        name: 'author',
        data: [
          { name: 'b', land: 'c' },
          { name: 'b', land: null },
        ],
      },
    ],
  });
  const [source] = await rowSources([], { ...FORM, format: 'parquet' }, ioOf(Buffer.from(file)));
  const rows = source?.rows(() => undefined)[Symbol.asyncIterator]();
  assert.deepEqual((await rows?.next())?.value, { 'author.name': 'b', 'author.land': 'c' });
  await assert.rejects(async () => rows?.next(), /near row 2: there are two columns for 'author\.name'/);
});

/** Of a stream of single bytes. */
async function rowsOf(bytes: Buffer, format: string, fields: Partial<typeof FORM> = {}) {
  const input = (async function* () {
    for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
  })();
  const [source] = await rowSources([], { ...FORM, ...fields, format }, silentIo({ input }));
  return Array.fromAsync(source?.rows(() => undefined) ?? []);
}

async function fieldOf(cell: string): Promise<unknown> {
  const csv = `id,field\n1,"${cell.replaceAll('"', '""')}"\n`;
  const [source] = await rowSources([], { ...FORM, format: 'csv' }, ioOf(Buffer.from(csv)));
  assert.ok(source !== undefined);
  const rows = await Array.fromAsync(source.rows(() => undefined));
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.id, '1');
  return rows[0]?.field;
}

function ioOf(bytes: Uint8Array): Io {
  return silentIo({
    input: (async function* () {
      yield bytes;
    })(),
  });
}
