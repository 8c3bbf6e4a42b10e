// Files into an index and out of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { ByteWriter, parquetWrite, parquetWriteBuffer } from 'hyparquet-writer';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE, UNAUTHORIZED } from '../fixture.ts';

const CSV = [
  'key;title;pages;read;zip;vec',
  `a;"One; ""two"" ${HOSTILE.replaceAll('"', '""')}";10;true;01234;[1,0,0]`,
  'b;Two;20;false;00001;"0 1 0"',
  'c;Three;30;true;1;nothing',
  'd;Four;40;true;1;[0,1]',
  '',
].join('\r\n');

export function transferTasks(on: ConsoleFixture): void {
  const choose = (name: string, content: string | Uint8Array) =>
    on.page
      .getByLabel('Drop a file here, or choose one')
      .locator('input')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });

  it('imports a CSV file with its columns mapped, and names the rows that are wrong', async () => {
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const body = { name: 'files', dimension: 3, metric: 'cosine', spec };
    const made = await on.service.call('POST', '/indexes', { body });
    assert.equal(made.status, 201, made.text);
    // The page learns by refusals which rows are wrong.
    on.visit.expect(/status of 400/);
    await on.open('#/indexes/files?tab=transfer');
    await choose('books.csv', CSV);
    assert.equal(await on.page.getByLabel('What key becomes').inputValue(), 'id');
    assert.equal(await on.page.getByLabel('What zip becomes').inputValue(), 'field');
    await on.page.getByText('Choose one column for the vectors').waitFor();
    await on.page.getByLabel('What vec becomes').selectOption('values');
    await on.button('Import').click();
    await on.page.getByText(/Done: 2 records stored, 2 refused/).waitFor();
    await on.page.getByText("vec: 'nothing' is not a vector").waitFor();
    await on.page
      .getByText(/dimension/i)
      .first()
      .waitFor();
    await on.visit.check('import');
    assert.equal(await on.page.locator('img').count(), 0);
    const fetched = await on.service.call('GET', '/data/files/vectors/fetch?ids=a&ids=b');
    const { vectors } = fetched.body as { vectors: Record<string, { metadata: object }> };
    assert.deepEqual(vectors.a?.metadata, {
      ...{ title: `One; "two" ${HOSTILE}`, pages: 10, read: true, zip: '01234' },
    });
  });

  it('tells the command that copies from another database', async () => {
    await on.open('#/indexes/files?tab=transfer');
    await on.page.getByLabel('Database').selectOption('Qdrant');
    await on.page.getByLabel('Its collection, index or table').fill("my 'films'");
    const command = "pinyon migrate 'my '\\''films'\\''' 'files' --from 'qdrant+http://HOST:6333' --dry-run";
    await on.page.getByText(command).waitFor();
    await on.visit.check('migrate');
  });

  it('imports JSON lines and Parquet', async () => {
    await on.open('#/indexes/files?tab=transfer');
    const lines = [
      { id: 'j1', values: [1, 1, 0], metadata: { kind: 'json' } },
      '{',
      { id: 'j2', values: [1, 0, 1] },
    ];
    await choose(
      'more.jsonl',
      lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n'),
    );
    await on.button('Import').click();
    await on.page.getByText(/Done: 2 records stored, 1 refused/).waitFor();
    const writer = new ByteWriter();
    parquetWrite({
      writer,
      columnData: [
        { name: 'id', data: ['p1', 'p2'], type: 'STRING' },
        {
          name: 'values',
          data: [
            [1, 0, 0.5],
            [0, 1, 0.5],
          ],
          type: 'JSON',
        },
        { name: 'year', data: [2020n, 2021n], type: 'INT64' },
      ],
    });
    await choose('table.parquet', new Uint8Array(writer.getBuffer()));
    await on.button('Import').click();
    await on.page.getByText(/Done: 2 records stored, 0 refused/).waitFor();
    const { body } = await on.service.call('POST', '/data/files/describe_index_stats', { body: {} });
    assert.equal((body as { totalVectorCount: number }).totalVectorCount, 6);
  });

  it('imports the other columns of Parquet where one has bytes, which no record takes', async () => {
    await on.open('#/indexes/files?tab=transfer');
    const ids = ['bytes-1', 'bytes-2'];
    const schema = [
      { name: 'schema', num_children: 3 },
      { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
      { name: 'values', type: 'BYTE_ARRAY', converted_type: 'JSON', repetition_type: 'REQUIRED' },
      { name: 'hash', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 4, repetition_type: 'REQUIRED' },
    ] as const;
    const columnData = [
      { name: 'id', data: ids },
      { name: 'values', data: ids.map(() => [1, 0.5, 0.25]) },
      { name: 'hash', data: ids.map(() => Uint8Array.of(1, 2, 3, 4)) },
    ];
    await choose('bytes.parquet', new Uint8Array(parquetWriteBuffer({ schema: [...schema], columnData })));
    const role = on.page.getByLabel('What hash becomes');
    assert.equal(await role.inputValue(), 'none');
    await role.selectOption('field');
    await on.button('Import').click();
    await on.page.getByText(/Done: 0 records stored, 2 refused/).waitFor();
    await on.page.getByText("column 'hash' has bytes").first().waitFor();
    await role.selectOption('none');
    await on.button('Import').click();
    await on.page.getByText(/Done: 2 records stored, 0 refused/).waitFor();
    const { status } = await on.service.call('POST', '/data/files/vectors/delete', { body: { ids } });
    assert.equal(status, 200);
  });

  it('changes no number beyond 2^53, and refuses those that are ids in JSON lines', async () => {
    await on.open('#/indexes/files?tab=transfer');
    // Two ids that are one number in JavaScript.
    const ids = ['9007199254740992', '9007199254740993'];
    await choose('numbers.jsonl', ids.map((id) => `{"id":${id},"values":[1,0,1]}`).join('\n'));
    await on.button('Import').click();
    await on.page.getByText(/Done: 0 records stored, 2 refused/).waitFor();
    await on.page.getByText('id: ids are texts or whole numbers up to 2^53').first().waitFor();
    const rows = ids.map((id) => `${id},"[1,0,1]",${id}`);
    await choose('numbers.csv', ['id,values,number', ...rows, 'c,"[1,0,1]",7'].join('\n'));
    await on.button('Import').click();
    await on.page.getByText(/Done: 3 records stored, 0 refused/).waitFor();
    const path = `/data/files/vectors/fetch?${[...ids, 'c'].map((id) => `ids=${id}`).join('&')}`;
    const { body } = await on.service.call('GET', path);
    const { vectors } = body as { vectors: Record<string, { metadata: { number: unknown } }> };
    assert.deepEqual(
      [...ids, 'c'].map((id) => vectors[id]?.metadata.number),
      [...ids, 7],
    );
    const gone = await on.service.call('POST', '/data/files/vectors/delete', {
      body: { ids: [...ids, 'c'] },
    });
    assert.equal(gone.status, 200);
  });

  it('imports a CSV file with several empty columns without names, and refuses rows with a value there', async () => {
    await on.open('#/indexes/files?tab=transfer');
    await choose('wide.csv', 'id,values,,\nw1,"[1,0,1]",,\nw2,"[1,0,1]",,x\n');
    await on.button('Import').click();
    await on.page.getByText(/Done: 1 record stored, 1 refused/).waitFor();
    await on.page.getByText('A cell is in one of several columns without names').waitFor();
    const body = { ids: ['w1'] };
    assert.equal((await on.service.call('POST', '/data/files/vectors/delete', { body })).status, 200);
  });

  it('says where a quotation mark is missing, instead of storing the rest of a file as one cell', async () => {
    await on.open('#/indexes/files?tab=transfer');
    await choose('open.csv', 'id;values;kind\nq1;[1,0,1];a\nq2;[1,0,1];"b\nq3;[1,0,1];c');
    await on.page.getByText('a cell of row 2 does not end; is a quotation mark missing?').waitFor();
    assert.equal(await on.button('Import').count(), 0);
  });

  it('keeps what is no number from becoming one, and takes it as it is where told to', async () => {
    await on.open('#/indexes/files?tab=transfer');
    const cells = [...Array.from({ length: 100 }, (_, at) => `${at + 1}`), '02134', ' ', '0x10', '1e3'];
    const ids = cells.map((_, at) => `n${at}`);
    const rows = cells.map((cell, at) => `${ids[at]};[1,0,1];${cell}`);
    const storedIn = async (chosen: readonly number[]) => {
      const path = `/data/files/vectors/fetch?${chosen.map((at) => `ids=n${at}`).join('&')}`;
      const { vectors } = (await on.service.call('GET', path)).body as {
        vectors: Record<string, { metadata: { code: unknown } }>;
      };
      return chosen.map((at) => vectors[`n${at}`]?.metadata.code);
    };
    await choose('codes.csv', ['id;values;code', ...rows].join('\n'));
    await on.button('Import').click();
    await on.page.getByText(/Done: 101 records stored, 3 refused/).waitFor();
    await on.page.getByText("code: '02134' is not a number; choose the type text to keep it").waitFor();
    assert.deepEqual(await storedIn([0, 100, 101, 102, 103]), [1, undefined, undefined, undefined, 1000]);
    await on.page.getByLabel('Type of code').selectOption('text');
    await on.button('Import').click();
    await on.page.getByText(/Done: 104 records stored, 0 refused/).waitFor();
    assert.deepEqual(await storedIn([0, 100, 101, 102, 103]), ['1', '02134', ' ', '0x10', '1e3']);
    const gone = await on.service.call('POST', '/data/files/vectors/delete', { body: { ids } });
    assert.equal(gone.status, 200);
  });

  it('takes no objects for ids, which would be one id for all rows', async () => {
    await on.open('#/indexes/files?tab=transfer');
    const lines = (ids: readonly unknown[]) =>
      ids.map((id) => JSON.stringify({ _id: id, kind: 'k', values: [1, 0, 1] })).join('\n');
    await choose('objects.jsonl', lines([{ $oid: 'a' }, { $oid: 'b' }]));
    await on.page.getByText('Choose one column for the ids').waitFor();
    await on.page.getByLabel('What _id becomes').selectOption('id');
    await on.button('Import').click();
    await on.page.getByText(/Done: 0 records stored, 2 refused/).waitFor();
    await on.page.getByText('_id: ids are texts or whole numbers').first().waitFor();
    await choose('some.jsonl', lines(['mixed', true, ['x'], 7]));
    assert.equal(await on.page.getByLabel('What _id becomes').inputValue(), 'id');
    await on.button('Import').click();
    await on.page.getByText(/Done: 2 records stored, 2 refused/).waitFor();
    const path = '/data/files/vectors/delete';
    assert.equal((await on.service.call('POST', path, { body: { ids: ['mixed', '7'] } })).status, 200);
  });

  it('sends a file to the server, which imports it and tells of rows that it has refused', async () => {
    await on.open('#/indexes/files?tab=transfer');
    const section = on.page.locator('section').filter({ hasText: 'Import on the server' }).first();
    await section.getByLabel('Namespace').fill('sent');
    await section.getByLabel('Columns with other names').fill('id=key,values=vec');
    const lines = [
      { key: 's1', vec: [1, 1, 0], kind: HOSTILE },
      { key: 's2', vec: [1] },
    ];
    await section
      .getByLabel('Drop a file here to send it, or choose one')
      .locator('input')
      .setInputFiles({
        name: 'films.jsonl',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(lines.map((each) => JSON.stringify(each)).join('\n')),
      });
    await section.getByText('upload:sent').waitFor();
    await section.getByLabel('Namespace').fill('cut');
    // The page takes the name once the field is left.
    await section.getByLabel('Namespace').blur();
    await section.getByText('Completed').waitFor();
    await section.getByRole('button', { name: 'Save the refused rows' }).waitFor();
    const packed = gzipSync(lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await section
      .getByLabel('Drop a file here to send it, or choose one')
      .locator('input')
      .setInputFiles({
        name: 'films.jsonl.gz',
        mimeType: 'application/octet-stream',
        buffer: packed.subarray(0, packed.length - 4),
      });
    await section.getByText('The rest of 1 file could not be read').waitFor();
    await on.visit.check('import-on-server');
    on.visit.expect(UNAUTHORIZED);
    await on.visit.context.clearCookies();
    const download = on.page.waitForEvent('download');
    await section
      .getByRole('row', { name: /upload:sent/ })
      .getByRole('button', { name: 'Save the refused rows' })
      .click();
    await on.page.getByLabel('API key').fill(API_KEY);
    await on.button('Sign in').click();
    assert.match(readFileSync(await (await download).path(), 'utf8'), /"s2"/);
    const fetched = await on.service.call('GET', '/data/files/vectors/fetch?ids=s1&namespace=sent');
    const { vectors } = fetched.body as { vectors: Record<string, { metadata: object }> };
    assert.deepEqual(vectors.s1?.metadata, { kind: HOSTILE });
    for (const name of ['sent', 'cut'])
      assert.equal((await on.service.call('DELETE', `/data/files/namespaces/${name}`)).status, 200);
  });

  it('imports Parquet of the usual codecs', async () => {
    await on.open('#/indexes/files?tab=transfer');
    const compressors = { GZIP: gzipSync, ZSTD: zstdCompressSync };
    for (const codec of ['SNAPPY', 'GZIP', 'ZSTD'] as const) {
      const writer = new ByteWriter();
      const ids = Array.from({ length: 40 }, (_, i) => `c${i}`);
      parquetWrite({
        ...{ writer, codec, compressors },
        columnData: [
          { name: 'id', data: ids, type: 'STRING' },
          { name: 'values', data: ids.map(() => [1, 0.5, 0.25]), type: 'JSON' },
          { name: 'codec', data: ids.map(() => codec), type: 'STRING' },
        ],
      });
      await choose(`${codec}.parquet`, new Uint8Array(writer.getBuffer()));
      await on.button('Import').click();
      await on.page.getByText(/Done: 40 records stored, 0 refused/).waitFor();
      const { body } = await on.service.call('GET', '/data/files/vectors/fetch?ids=c7');
      const { vectors } = body as { vectors: Record<string, { metadata: object }> };
      assert.deepEqual(vectors.c7?.metadata, { codec });
    }
    const { body } = await on.service.call('POST', '/data/files/vectors/delete', {
      body: { ids: Array.from({ length: 40 }, (_, i) => `c${i}`) },
    });
    assert.deepEqual(body, {});
    on.visit.assertQuiet();
  });

  it('refuses a file that it cannot read, and says why', async () => {
    await choose('notes.docx', 'x');
    await on.page.getByText('The name of a file ends in .jsonl').waitFor();
    await choose('broken.parquet', 'no parquet at all');
    await on.page.getByRole('alert').waitFor();
    on.visit.assertQuiet();
  });

  it('exports the index and saves the file', async () => {
    await on.page.getByLabel('Format').selectOption('jsonl');
    await on.button('Export the index').click();
    await on.button('Save').waitFor();
    const download = on.page.waitForEvent('download');
    await on.button('Save').click();
    const path = await (await download).path();
    const records = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(records.map(({ id }) => id).sort(), ['a', 'b', 'j1', 'j2', 'p1', 'p2']);
    await on.visit.check('export');
  });
}
