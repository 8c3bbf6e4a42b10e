// Imports of files that are sent in the request, as curl does: what becomes of the file, whatever happens.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Pinecone } from '@pinecone-database/pinecone';
import { call } from './support/call.ts';
import { jsonlBytes, parquetBytes } from './support/import-files.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found, until } from './support/until.ts';

interface Import {
  readonly status: string;
  readonly uri: string;
  readonly recordsImported: number;
  readonly error?: string;
}

const ROWS = Array.from({ length: 300 }, (_, at) => ({ id: `r${at}`, values: [at + 1, 1] }));
const PATH = '/bulk/imports/upload';

describe('an import of an uploaded file', () => {
  let service: Service;
  let pinecone: Pinecone;
  let host: string;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    host = await service.createIndex({ name: 'films', dimension: 2, metric: 'cosine' });
  });
  after(() => service.dispose());

  function upload(body: Uint8Array | string, query = '', headers: Readonly<Record<string, string>> = {}) {
    const type = { 'content-type': 'application/octet-stream' };
    return call(host, 'POST', `${PATH}${query}`, { key: API_KEY, body, headers: { ...type, ...headers } });
  }

  async function ended(id: string): Promise<Import> {
    return await found(async () => {
      const state = (await call(host, 'GET', `/bulk/imports/${id}`, { key: API_KEY })).body as Import;
      return ['Pending', 'InProgress'].includes(state.status) ? undefined : state;
    }, `the import ${id}`);
  }

  async function imported(body: Uint8Array | string, query = ''): Promise<Import> {
    const answer = await upload(body, query);
    assert.equal(answer.status, 200, answer.text);
    return ended((answer.body as { readonly id: string }).id);
  }

  /** The files of uploads in the server's own storage. */
  function kept(): readonly string[] {
    const folder = join(service.dataDir, 'blobs', 'uploads');
    try {
      return readdirSync(folder, { recursive: true }).map(String);
    } catch {
      return [];
    }
  }

  const gone = () => until(() => kept().length === 0);

  it('stores the records of Parquet, JSONL and gzip, and then removes the file', async () => {
    const files = { parquet: parquetBytes(ROWS), jsonl: jsonlBytes(ROWS), gzip: gzipSync(jsonlBytes(ROWS)) };
    for (const [namespace, bytes] of Object.entries(files)) {
      const state = await imported(bytes, `?namespace=${namespace}`);
      assert.deepEqual(
        [state.status, state.uri, state.recordsImported, state.error],
        ['Completed', `upload:${namespace}`, ROWS.length, undefined],
      );
      const { records } = await pinecone.index({ host, namespace }).fetch({ ids: ['r299'] });
      assert.deepEqual(records.r299?.values, [300, 1]);
      await gone();
    }
    const odd = 'a/b .. %c';
    const state = await imported(files.jsonl, `?namespace=${encodeURIComponent(odd)}`);
    assert.equal(state.status, 'Completed', state.error ?? '');
    const { records } = await pinecone.index({ host, namespace: odd }).fetch({ ids: ['r1'] });
    assert.deepEqual(records.r1?.values, [2, 1]);
  });

  it('takes the names of columns and the way with wrong rows from the address', async () => {
    const lines = jsonlBytes([
      { key: 'a', vector: [1, 2], year: 1979 },
      { key: 'b', vector: [1] },
    ]);
    const query = 'namespace=named&columns=id=key,values=vector';
    const stopped = await imported(lines, `?${query}&onError=abort`);
    assert.equal(stopped.status, 'Failed');
    assert.match(stopped.error ?? '', /row 2 \(id b\): Vector dimension 1/);
    await gone();
    assert.equal((await imported(lines, `?${query}`)).recordsImported, 1);
    const { records } = await pinecone.index({ host, namespace: 'named' }).fetch({ ids: ['a'] });
    assert.deepEqual(records.a?.metadata, { year: 1979 });
  });

  it('is refused before its body is read, by what the caller may and asks for', async () => {
    const refusals: readonly (readonly [string, Readonly<Record<string, string>>, number, RegExp])[] = [
      ['', { 'api-key': 'wrong' }, 401, /./],
      ['?columns=id', {}, 400, /FIELD=COLUMN/],
      ['?columns=_id=key', {}, 400, /the id of a vector is 'id'/],
      ['?columns=id=a,id=b', {}, 400, /'id' twice/],
      ['?onError=stop', {}, 400, /onError must be abort or continue/],
      [`?namespace=${'x'.repeat(513)}`, {}, 400, /Namespace/],
      ['', { 'content-type': 'multipart/form-data; boundary=x' }, 415, /./],
      ['', { 'content-length': String(2 ** 30 + 1) }, 413, /1073741824/],
      ['', { 'content-encoding': 'gzip' }, 415, /./],
    ];
    for (const [query, headers, status, reason] of refusals) {
      const answer = await unsent(`${host}${PATH}${query}`, headers);
      assert.equal(answer.status, status, `${query} ${JSON.stringify(headers)}: ${answer.text}`);
      assert.match(answer.text, reason);
    }
    const empty = await upload('');
    assert.equal(empty.status, 400, empty.text);
    assert.deepEqual(kept(), []);
  });

  /** Sends the head of a request alone, and returns the answer. */
  function unsent(url: string, headers: Readonly<Record<string, string>>) {
    return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const all = { 'api-key': API_KEY, 'content-length': '1000', ...headers };
      const sent = request(url, { method: 'POST', headers: all }, (answer) => {
        let text = '';
        answer.on('data', (piece: Buffer) => {
          text += piece.toString();
        });
        answer.once('end', () => {
          resolve({ status: answer.statusCode ?? 0, text });
          sent.destroy();
        });
      });
      sent.once('error', reject);
      sent.flushHeaders();
    });
  }

  it('leaves nothing when its sender goes, or its caller cancels it', async () => {
    const cut = request(`${host}${PATH}?namespace=cut`, { method: 'POST', headers: { 'api-key': API_KEY } });
    cut.on('error', () => undefined);
    cut.write(jsonlBytes(ROWS));
    await until(() => readdirSync(join(service.dataDir, 'blobs', '.unfinished')).length > 0);
    cut.destroy();
    await until(() => readdirSync(join(service.dataDir, 'blobs', '.unfinished')).length === 0);
    assert.deepEqual(kept(), []);
    const { body } = await upload(jsonlBytes(ROWS), '?namespace=cancelled');
    const { id } = body as { readonly id: string };
    assert.equal((await call(host, 'DELETE', `/bulk/imports/${id}`, { key: API_KEY })).status, 200);
    await gone();
  });

  it('is done after kill -9 in its midst, and a file without an import is removed by the next start', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ id: `r${at}`, values: [at + 1, 1] }));
    const { body } = await upload(jsonlBytes(many), '?namespace=killed');
    await service.kill();
    const orphan = join(service.dataDir, 'blobs', 'uploads', 'orphan', 'upload');
    mkdirSync(orphan, { recursive: true });
    writeFileSync(join(orphan, 'data.jsonl'), '{}');
    await service.start();
    const state = await ended((body as { readonly id: string }).id);
    assert.deepEqual(
      [state.status, state.recordsImported, state.error],
      ['Completed', many.length, undefined],
    );
    await gone();
  });
});
