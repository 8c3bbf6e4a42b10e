// Bulk imports by SDK 9: files of a folder become records, and what is wrong with them is told.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Index, Pinecone } from '@pinecone-database/pinecone';
import { call } from './support/call.ts';
import { jsonlBytes, parquetBytes, putFiles } from './support/import-files.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found } from './support/until.ts';

interface Import {
  readonly status: string;
  readonly percentComplete: number;
  readonly recordsImported: number;
  readonly error?: string;
  readonly finishedAt?: string;
  readonly validationResult?: {
    readonly importSuccesses: number;
    readonly importErrors: number;
    readonly filesUnread: number;
  };
}

describe('SDK 9, bulk imports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-files-'));
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    const env = { PINYON_IMPORT_FROM: `file://${folder}/in`, PINYON_IMPORT_PUBLIC: 'false' };
    service = await startService({ env });
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    putFiles(`${folder}/in`, { README: '' });
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  async function makeIndex(name: string, facts: Readonly<Record<string, unknown>> = {}) {
    const host = await service.createIndex({ name, dimension: 3, metric: 'cosine', ...facts });
    return { host, index: pinecone.index({ name }) };
  }

  /** Puts files, imports them, waits. */
  async function importFiles(
    { host, index }: { readonly host: string; readonly index: Index },
    files: Readonly<Record<string, Uint8Array | string>>,
    errorMode: 'abort' | 'continue' = 'continue',
  ): Promise<Import & { readonly id: string }> {
    const name = `set-${Math.random().toString(36).slice(2)}`;
    putFiles(`${folder}/in/${name}`, files);
    const { id = '' } = await index.startImport({ uri: `file://${folder}/in/${name}`, errorMode });
    return { id, ...(await ended(host, id)) };
  }

  async function ended(host: string, id: string): Promise<Import> {
    return await found(async () => {
      const answer = await call(host, 'GET', `/bulk/imports/${id}`, { key: API_KEY, version: '2026-07' });
      const state = answer.body as Import;
      assert.equal(answer.status, 200, answer.text);
      return ['Pending', 'InProgress'].includes(state.status) ? undefined : state;
    }, `the import ${id}`);
  }

  async function errorsOf(host: string, id: string): Promise<readonly unknown[]> {
    const { text } = await call(host, 'GET', `/bulk/imports/${id}/errors`, { key: API_KEY });
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }

  it('read Parquet and JSONL of several namespaces, and report true counts', async () => {
    const made = await makeIndex('films');
    const rows = Array.from({ length: 2_300 }, (_, i) => ({
      id: `r${i}`,
      values: [i + 1, 1, -0.5],
      metadata: i % 2 === 0 ? JSON.stringify({ n: i, tags: ['a'] }) : null,
    }));
    const state = await importFiles(made, {
      '__default__/a.parquet': parquetBytes(rows),
      'other/x.jsonl': jsonlBytes([{ id: 'j', values: [1, 2, 3], metadata: { ok: true } }]),
      'other/_SUCCESS': '',
    });
    assert.deepEqual([state.status, state.recordsImported, state.percentComplete], ['Completed', 2_301, 100]);
    assert.deepEqual(state.validationResult, { importSuccesses: 2_301, importErrors: 0, filesUnread: 0 });
    const { records } = await made.index.fetch({ ids: ['r0', 'r1', 'r2299'] });
    assert.deepEqual(records.r0?.values, [1, 1, -0.5]);
    assert.deepEqual(records.r0?.metadata, { n: 0, tags: ['a'] });
    assert.deepEqual(records.r2299?.values, [2300, 1, -0.5]);
    const other = await made.index.fetch({ ids: ['j'], namespace: 'other' });
    assert.deepEqual(other.records.j?.metadata, { ok: true });
    const list = await made.index.listImports(10);
    assert.deepEqual(
      list.data?.map(({ id, status }) => [id, status]),
      [[state.id, 'Completed']],
    );
    const one = await made.index.describeImport(state.id);
    assert.equal(one.recordsImported, 2_301);
    assert.ok(one.finishedAt instanceof Date);
  });

  it('skip invalid rows and store the reasons, or fail at the first and leave nothing', async () => {
    const files = {
      'ns/a.parquet': parquetBytes([
        { id: 'a', values: [1, 2, 3] },
        { id: 'b', values: [1, 2] },
        { id: null, values: [1, 2, 3] },
        { id: 'd', values: [0, 0, 0] },
        { id: 'e', values: [1, 2, 3], metadata: '{"x":{}}' },
        { id: 'f', values: null },
      ]),
      'ns/b.jsonl': 'no json\n{"id":"g","values":[3,2,1]}\n',
      'ns/c.parquet': 'PAR1 is not all there is to a file PAR1',
    };
    const made = await makeIndex('wrong');
    const failed = await importFiles(made, files, 'abort');
    assert.equal(failed.status, 'Failed');
    assert.match(
      failed.error ?? '',
      /File ns\/a\.parquet, row 2 \(id b\): Vector dimension 2 does not match/,
    );
    assert.equal(failed.recordsImported, 0);
    const stats = await made.index.describeIndexStats();
    assert.deepEqual(stats.namespaces ?? {}, {});
    const state = await importFiles(made, files);
    assert.deepEqual([state.status, state.recordsImported], ['Completed', 2]);
    assert.deepEqual(state.validationResult, { importSuccesses: 2, importErrors: 7, filesUnread: 1 });
    const errors = (await errorsOf(made.host, state.id)) as {
      file: string;
      row: number;
      id: string;
      reason: string;
    }[];
    assert.deepEqual(
      errors.map(({ file, row, id }) => [file, row, id]),
      [
        ['ns/a.parquet', 2, 'b'],
        ['ns/a.parquet', 3, null],
        ['ns/a.parquet', 4, 'd'],
        ['ns/a.parquet', 5, 'e'],
        ['ns/a.parquet', 6, 'f'],
        ['ns/b.jsonl', 1, null],
        ['ns/c.parquet', null, null],
      ],
    );
    assert.match(errors[6]?.reason ?? '', /^The file cannot be read: /);
  });

  it('count every invalid row, and keep the first ten thousand and all unread files for download', async () => {
    const made = await makeIndex('many-wrong');
    const state = await importFiles(made, {
      'ns/a.jsonl': `${'{}\n'.repeat(10_050)}{"id":"a","values":[1,2,3]}\n`,
      'ns/b.parquet': 'PAR1 is not all there is to a file PAR1',
    });
    assert.deepEqual(state.validationResult, { importSuccesses: 1, importErrors: 10_051, filesUnread: 1 });
    const errors = (await errorsOf(made.host, state.id)) as readonly { file: string; row: number | null }[];
    assert.deepEqual(
      [errors.length, errors.at(-2)?.row, errors.at(-1)?.row, errors.at(-1)?.file],
      [10_001, 10_000, null, 'ns/b.parquet'],
    );
  });

  it('take the last of rows with one id, across files, and count records once', async () => {
    const made = await makeIndex('twice');
    const state = await importFiles(made, {
      'ns/1.jsonl': jsonlBytes([
        { id: 'a', values: [1, 0, 0] },
        { id: 'b', values: [1, 0, 0] },
      ]),
      'ns/2.jsonl': jsonlBytes([{ id: 'a', values: [0, 1, 0] }]),
    });
    assert.equal(state.recordsImported, 2);
    const { records } = await made.index.fetch({ ids: ['a'], namespace: 'ns' });
    assert.deepEqual(records.a?.values, [0, 1, 0]);
  });

  it('write a namespace by one import at a time; the other fails and removes nothing', async () => {
    const made = await makeIndex('shared');
    const lines = jsonlBytes(
      Array.from({ length: 3_000 }, (_, i) => ({ id: `r${i}`, values: [i + 1, 1, 1] })),
    );
    putFiles(`${folder}/in/shared`, { 'ns/1.jsonl': lines });
    const uri = `file://${folder}/in/shared`;
    const started = await Promise.all([1, 2].map(() => made.index.startImport({ uri })));
    const states = await Promise.all(started.map(({ id = '' }) => ended(made.host, id)));
    assert.deepEqual(states.map(({ status }) => status).sort(), ['Completed', 'Failed']);
    assert.match(
      states.find(({ error }) => error)?.error ?? '',
      /is creating namespace ns|ns already exists/,
    );
    assert.equal((await made.index.describeIndexStats()).totalRecordCount, 3_000);
  });

  it('refuse existing namespaces, files outside the layout, and other columns', async () => {
    const made = await makeIndex('strict');
    const good = { 'ns/1.jsonl': jsonlBytes([{ id: 'a', values: [1, 0, 0] }]) };
    assert.equal((await importFiles(made, good)).status, 'Completed');
    const refusals: readonly [Readonly<Record<string, Uint8Array | string>>, RegExp][] = [
      [good, /Namespace ns already exists/],
      [{ 'a/b/x.parquet': '' }, /does not lie in the folder of a namespace/],
      [{ 'c/x.jsonl': '{"id":"a","values":[1,0,0],"colour":1}\n' }, /Unknown field 'colour'/],
    ];
    for (const [files, reason] of refusals) {
      const state = await importFiles(made, files);
      assert.equal(state.status, 'Failed');
      assert.match(state.error ?? '', reason);
    }
  });

  it('read nothing outside the configured folders, by whatever path', async () => {
    const made = await makeIndex('inside');
    putFiles(`${folder}/out`, { 'ns/x.jsonl': jsonlBytes([{ id: 'a', values: [1, 0, 0] }]) });
    for (const uri of [
      `file://${folder}/out`,
      `file://${folder}/in/../out`,
      `file://${folder}/in/%2e%2e/out`,
      `file://${folder}/in/..%2fout`,
      `file://${folder}/inside`,
      'file:///etc',
      's3://bucket/folder',
      'gs://bucket/folder',
      'https://account.blob.core.windows.net/c/d',
      'in/out',
    ]) {
      const { status, text } = await call(made.host, 'POST', '/bulk/imports', {
        key: API_KEY,
        body: { uri },
      });
      assert.equal(status, 400, `${uri}: ${text}`);
    }
    symlinkSync(`${folder}/out`, `${folder}/in/link`);
    putFiles(`${folder}/in/links`, { 'ns/y.jsonl': '' });
    symlinkSync(`${folder}/out/ns/x.jsonl`, `${folder}/in/links/ns/z.jsonl`);
    for (const [name, reason] of [
      ['link', /is outside the folders/],
      ['links', /do not follow links/],
    ] as const) {
      const { id = '' } = await made.index.startImport({ uri: `file://${folder}/in/${name}` });
      const state = await ended(made.host, id);
      assert.equal(state.status, 'Failed');
      assert.match(state.error ?? '', reason);
    }
  });

  it('respond 400 to wrong requests and 404 to unknown ids', async () => {
    const { host } = await makeIndex('asked');
    const uri = `file://${folder}/in`;
    for (const body of [
      {},
      { uri: '' },
      { uri: 7 },
      { uri, errorMode: { onError: 'stop' } },
      { uri: `${uri}${'x'.repeat(1_500)}` },
      { uri, integrationId: 'x'.repeat(1_001) },
      [],
    ]) {
      const answer = await call(host, 'POST', '/bulk/imports', { key: API_KEY, body });
      assert.equal(answer.status, 400, answer.text);
      assert.equal((answer.body as { readonly code: number }).code, 3);
    }
    for (const [method, path] of [
      ['GET', '/bulk/imports/none'],
      ['DELETE', '/bulk/imports/none'],
      ['GET', '/bulk/imports/none/errors'],
    ] as const) {
      const answer = await call(host, method, path, { key: API_KEY });
      assert.equal(answer.status, 404);
      assert.equal((answer.body as { readonly code: number }).code, 5);
    }
    for (const query of ['limit=0', 'limit=101', 'paginationToken=abc']) {
      assert.equal((await call(host, 'GET', `/bulk/imports?${query}`, { key: API_KEY })).status, 400);
    }
    assert.equal((await call(host, 'GET', '/bulk/imports', { key: 'wrong' })).status, 401);
    assert.deepEqual((await call(host, 'GET', '/bulk/imports', { key: API_KEY })).body, { data: [] });
  });
});
