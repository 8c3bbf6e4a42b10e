// Interrupted imports, by kill -9, a stop or their callers: they resume, or leave nothing behind.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../support/call.ts';
import { type GatedS3, openGatedS3 } from '../support/gated-s3.ts';
import { jsonlBytes, parquetBytes } from '../support/import-files.ts';
import { API_KEY, type Service, startService } from '../support/service.ts';
import { found } from '../support/until.ts';

const FILES = 5;
const ROWS = 1_500;
const TEXT_FILES = 4;
const TEXT_ROWS = 150;
/** In each file, row 8 of each thousand is wrong. */
const ERRORS = 2 * FILES;

interface Import {
  readonly status: string;
  readonly percentComplete: number;
  readonly recordsImported: number;
  readonly error?: string;
  readonly validationResult: {
    readonly importSuccesses: number;
    readonly importErrors: number;
    readonly filesUnread: number;
  };
}

describe('an import that is cut off', () => {
  let s3: GatedS3;
  let env: Readonly<Record<string, string>>;
  let service: Service;
  let host: string;
  before(async () => {
    s3 = await openGatedS3();
    for (let file = 0; file < FILES; file++) {
      const rows = Array.from({ length: ROWS }, (_, i) => ({
        id: `f${file}-${i}`,
        values: i % 1_000 === 7 ? [1] : [i + 1, file, 1, 2],
      }));
      if (file === 1) s3.objects.set(`ns/${file}.parquet`, parquetBytes(rows, ['id', 'values']));
      else s3.objects.set(`ns/${file}.jsonl`, jsonlBytes(rows));
    }
    env = {
      PINYON_IMPORT_FROM: 's3://bucket',
      PINYON_PRIVATE_STORAGE: 'true',
      PINYON_S3_ENDPOINT: s3.endpoint,
      PINYON_S3_ACCESS_KEY_ID: 'AK',
      PINYON_S3_SECRET_ACCESS_KEY: 'SK',
    };
    service = await startService({ env });
  });
  after(async () => {
    s3.close();
    await service.dispose();
  });
  beforeEach(async ({ name }) => {
    const index = `films-${name.length}`;
    host = await service.createIndex({ name: index, dimension: 4, metric: 'euclidean' });
  });

  async function start(uri = 's3://bucket'): Promise<string> {
    const answer = await call(host, 'POST', '/bulk/imports', { key: API_KEY, body: { uri } });
    return (answer.body as { readonly id: string }).id;
  }

  async function look(id: string): Promise<Import> {
    const answer = await call(host, 'GET', `/bulk/imports/${id}`, { key: API_KEY, version: '2026-07' });
    return answer.body as Import;
  }

  async function ended(id: string): Promise<Import> {
    return await found(async () => {
      const state = await look(id);
      return ['Pending', 'InProgress'].includes(state.status) ? undefined : state;
    }, `the import ${id}`);
  }

  async function stored(): Promise<number> {
    const answer = await call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
    return (answer.body as { readonly totalVectorCount: number }).totalVectorCount;
  }

  it('resumes after kill -9 at the next start, with every row once and every error once', async () => {
    const held = s3.hold('ns/3.jsonl');
    const id = await start();
    await held;
    await service.kill();
    s3.release();
    await service.start({ env });
    const state = await ended(id);
    const records = ROWS * FILES - ERRORS;
    assert.deepEqual(
      [state.status, state.recordsImported, state.percentComplete, state.error],
      ['Completed', records, 100, undefined],
    );
    assert.deepEqual(state.validationResult, {
      importSuccesses: records,
      importErrors: ERRORS,
      filesUnread: 0,
    });
    assert.equal(await stored(), records);
    const { text } = await call(host, 'GET', `/bulk/imports/${id}/errors`, { key: API_KEY });
    const lines = text.trim().split('\n');
    assert.deepEqual([lines.length, new Set(lines).size], [ERRORS, ERRORS]);
  });

  it('resumes after kill -9 where the server embeds texts, with the vectors of every row', async () => {
    const embed = { model: 'multilingual-e5-large', field_map: { text: 'body' } };
    const body = { name: 'texts', cloud: 'aws', region: 'us-east-1', embed };
    const made = await service.call('POST', '/indexes/create-for-model', { body });
    host = (made.body as { readonly host: string }).host;
    for (let file = 0; file < TEXT_FILES; file++) {
      const rows = Array.from({ length: TEXT_ROWS }, (_, i) => ({
        _id: `f${file}-${i}`,
        body: i === 7 ? '' : `The heron of file ${file} is number ${i}.`,
      }));
      s3.objects.set(`texts/ns/${file}.jsonl`, jsonlBytes(rows));
    }
    const held = s3.hold('texts/ns/2.jsonl');
    const id = await start('s3://bucket/texts');
    await held;
    await service.kill();
    s3.release();
    await service.start({ env });
    const state = await ended(id);
    const records = TEXT_FILES * (TEXT_ROWS - 1);
    assert.deepEqual([state.status, state.recordsImported, state.error], ['Completed', records, undefined]);
    assert.deepEqual(state.validationResult, {
      importSuccesses: records,
      importErrors: TEXT_FILES,
      filesUnread: 0,
    });
    const query = { inputs: { text: 'heron of file 1, number 100' }, top_k: records };
    const search = { key: API_KEY, body: { query } };
    const answer = await call(host, 'POST', '/records/namespaces/ns/search', search);
    const { hits } = (answer.body as { readonly result: { readonly hits: readonly unknown[] } }).result;
    assert.equal(hits.length, records);
    for (const key of [...s3.objects.keys()].filter((each) => each.startsWith('texts/')))
      s3.objects.delete(key);
  });

  it('resumes after a stop, unless its files have changed: then it fails and leaves nothing', async () => {
    const held = s3.hold('ns/3.jsonl');
    const id = await start();
    await held;
    const last = s3.objects.get('ns/4.jsonl') ?? new Uint8Array();
    s3.objects.set('ns/4.jsonl', Buffer.concat([last, Buffer.from('\n')]));
    await service.stop();
    s3.release();
    await service.start({ env });
    const state = await ended(id);
    s3.objects.set('ns/4.jsonl', last);
    assert.equal(state.status, 'Failed', JSON.stringify(state));
    assert.equal(state.error, 'Files were added, removed or changed since the import was started.');
    assert.equal(await stored(), 0);
  });

  it('leaves nothing when its caller cancels it at any time; cancelling again changes nothing', async () => {
    for (const stage of ['listing', 'ns/1.parquet', 'ns/4.jsonl']) {
      const held = s3.hold(stage);
      const id = await start();
      await held;
      const cancelled = await call(host, 'DELETE', `/bulk/imports/${id}`, { key: API_KEY });
      assert.deepEqual([cancelled.status, cancelled.body], [200, {}]);
      const state = await look(id);
      assert.deepEqual([state.status, state.recordsImported], ['Cancelled', 0], stage);
      s3.release();
      assert.equal(await stored(), 0);
      assert.equal((await call(host, 'DELETE', `/bulk/imports/${id}`, { key: API_KEY })).status, 200);
      assert.equal((await look(id)).status, 'Cancelled');
    }
  });

  it('removes nothing that others wrote when cancelled; when completed, it has both', async () => {
    const vectors = [{ id: 'f0-0', values: [9, 9, 9, 9] }];
    for (const isCancelled of [true, false]) {
      const held = s3.hold('ns/4.jsonl');
      const id = await start();
      await held;
      assert.equal(await stored(), 0);
      const listed = await call(host, 'GET', '/namespaces', { key: API_KEY });
      assert.deepEqual((listed.body as { readonly namespaces: readonly unknown[] }).namespaces, []);
      const body = { namespace: 'ns', vectors };
      assert.equal((await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body })).status, 200);
      if (isCancelled) await call(host, 'DELETE', `/bulk/imports/${id}`, { key: API_KEY });
      else s3.release();
      assert.equal((await ended(id)).status, isCancelled ? 'Cancelled' : 'Completed');
      s3.release();
      assert.equal(await stored(), isCancelled ? 1 : ROWS * FILES - ERRORS);
      const fetched = await call(host, 'GET', '/vectors/fetch?ids=f0-0&namespace=ns', { key: API_KEY });
      const { vectors: found } = fetched.body as { readonly vectors: Record<string, { values: number[] }> };
      assert.deepEqual(found['f0-0']?.values, [9, 9, 9, 9]);
      await call(host, 'DELETE', '/namespaces/ns', { key: API_KEY });
    }
  });

  it('ends before its deleted index is gone', async ({ name }) => {
    const held = s3.hold('ns/3.jsonl');
    await start();
    await held;
    const path = `/indexes/films-${name.length}`;
    assert.equal((await service.call('DELETE', path)).status, 202);
    while ((await service.call('GET', path)).status !== 404) await pause(10);
    s3.release();
    assert.equal((await service.call('GET', '/health')).status, 200);
  });
});
