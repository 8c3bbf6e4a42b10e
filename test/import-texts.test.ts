// Imports by SDK 9 into indexes that were made for a model, and of files whose columns have other names.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { call } from './support/call.ts';
import { jsonlBytes, putFiles } from './support/import-files.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found } from './support/until.ts';

interface Import {
  readonly status: string;
  readonly recordsImported: number;
  readonly error?: string;
  readonly validationResult: {
    readonly importSuccesses: number;
    readonly importErrors: number;
    readonly filesUnread: number;
  };
}

/** More than a model takes at a time. */
const ROWS = 230;
const TEXTS = Array.from({ length: ROWS }, (_, at) => ({
  _id: `t${at}`,
  chunk_text: `The heron number ${at} stands in water ${at % 7}.`,
  genre: at % 2 === 0 ? 'nature' : 'birds',
  year: 1_900 + at,
}));

describe('SDK 9, imports of texts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-texts-'));
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    service = await startService({ env: { PINYON_IMPORT_FROM: `file://${folder}` } });
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  async function forModel(name: string, model: string): Promise<string> {
    const { host } =
      (await pinecone.createIndexForModel({
        name,
        cloud: 'aws',
        region: 'us-east-1',
        embed: { model, fieldMap: { text: 'chunk_text' } },
      })) ?? {};
    return `http://${String(host).replace(/^https?:\/\//, '')}`;
  }

  async function imported(host: string, body: Readonly<Record<string, unknown>>): Promise<Import> {
    const begun = await call(host, 'POST', '/bulk/imports', { key: API_KEY, body });
    assert.equal(begun.status, 200, begun.text);
    const { id } = begun.body as { readonly id: string };
    return await found(async () => {
      const answer = await call(host, 'GET', `/bulk/imports/${id}`, { key: API_KEY, version: '2026-07' });
      const state = answer.body as Import;
      return ['Pending', 'InProgress'].includes(state.status) ? undefined : state;
    }, `the import ${id}`);
  }

  function flatParquet(rows: readonly Readonly<Record<string, unknown>>[]): Uint8Array {
    const names = Object.keys(rows[0] ?? {});
    const column = (name: string) => {
      const data = rows.map((row) => row[name]);
      return { name, data, type: typeof data[0] === 'number' ? ('DOUBLE' as const) : ('STRING' as const) };
    };
    return new Uint8Array(parquetWriteBuffer({ columnData: names.map(column) as never }));
  }

  for (const model of ['multilingual-e5-large', 'pinecone-sparse-english-v0']) {
    it(`embed lines and columns as upserts do, by ${model}`, async () => {
      const dense = model.startsWith('multi');
      const name = dense ? 'dense' : 'sparse';
      putFiles(`${folder}/${name}`, {
        '__default__/1.jsonl': jsonlBytes(TEXTS.slice(0, 120)),
        '__default__/2.parquet': flatParquet(TEXTS.slice(120)),
      });
      const host = await forModel(name, model);
      const state = await imported(host, {
        uri: `file://${folder}/${name}`,
        errorMode: { onError: 'abort' },
      });
      assert.deepEqual([state.status, state.recordsImported, state.error], ['Completed', ROWS, undefined]);
      const upserted = await forModel(`${name}-upserted`, model);
      const other = pinecone.index({ host: upserted });
      for (let first = 0; first < ROWS; first += 90)
        await other.upsertRecords({ records: TEXTS.slice(first, first + 90) });
      const index = pinecone.index({ host });
      const query = { inputs: { text: 'heron number 77 in the water' }, topK: 20 };
      const hits = (await index.searchRecords({ query })).result.hits;
      assert.equal(hits.length, 20);
      assert.deepEqual(hits, (await other.searchRecords({ query })).result.hits);
      const filtered = { ...query, filter: { year: { $gte: 2_100 } } };
      assert.deepEqual(
        (await index.searchRecords({ query: filtered })).result.hits,
        (await other.searchRecords({ query: filtered })).result.hits,
      );
      const ids = ['t0', 't229'];
      assert.deepEqual((await index.fetch({ ids })).records, (await other.fetch({ ids })).records);
    });
  }

  it('skip wrong rows and report each, or end at the first and leave nothing', async () => {
    const host = await forModel('wrong', 'pinecone-sparse-english-v0');
    const rows = [
      { _id: 'good', chunk_text: 'Apples grow on trees.' },
      { _id: 'empty', chunk_text: '' },
      { _id: 'none' },
      { _id: 'wordless', chunk_text: '... !?' },
      { id: 'vector', values: [1, 2, 3] },
    ];
    putFiles(`${folder}/wrong`, { 'ns/1.jsonl': jsonlBytes(rows) });
    const uri = `file://${folder}/wrong`;
    const stopped = await imported(host, { uri, errorMode: { onError: 'abort' } });
    assert.equal(stopped.status, 'Failed');
    assert.match(stopped.error ?? '', /row 2 \(id empty\): Field 'chunk_text' must not be empty/);
    assert.deepEqual((await pinecone.index({ host }).describeIndexStats()).namespaces ?? {}, {});
    const state = await imported(host, { uri });
    assert.deepEqual(
      [state.status, state.validationResult],
      ['Completed', { importSuccesses: 1, importErrors: 4, filesUnread: 0 }],
    );
  });

  it('take columns by the names that the caller gives them, and say what is wrong with these before they begin', async () => {
    const rows = TEXTS.slice(0, 5).map(({ _id, chunk_text, year }) => ({ key: _id, body: chunk_text, year }));
    putFiles(`${folder}/named`, { 'a/1.jsonl': jsonlBytes(rows), 'b/1.parquet': flatParquet(rows) });
    const host = await forModel('named', 'multilingual-e5-large');
    const uri = `file://${folder}/named`;
    const state = await imported(host, { uri, columns: { id: 'key', chunk_text: 'body' } });
    assert.deepEqual([state.status, state.recordsImported, state.error], ['Completed', 10, undefined]);
    for (const namespace of ['a', 'b']) {
      const { records } = await pinecone.index({ host, namespace }).fetch({ ids: ['t3'] });
      assert.deepEqual(records.t3?.metadata, { chunk_text: TEXTS[3]?.chunk_text, year: 1_903 });
    }
    for (const [columns, reason] of [
      ['key', /columns/],
      [{ values: 'vector' }, /makes its vectors from the field 'chunk_text'/],
      [{ id: 'key', _id: 'key' }, /twice/],
      [{ id: 7 }, /columns\.id must be the name of a column/],
      [{ id: '' }, /columns\.id must be the name of a column/],
      [{ '': 'x' }, /empty field/],
      [Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, `c${at}`])), /at most 100/],
    ] as const) {
      const refused = await call(host, 'POST', '/bulk/imports', { key: API_KEY, body: { uri, columns } });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, reason);
    }
    const vectors = await service.createIndex({ name: 'vectors', dimension: 2, metric: 'cosine' });
    const film = { key: 'f', vector: [1, 2], released: 1979, note: 'x' };
    putFiles(`${folder}/films`, { 'n/1.jsonl': jsonlBytes([film]) });
    const columns = { id: 'key', values: 'vector', year: 'released' };
    const films = await imported(vectors, { uri: `file://${folder}/films`, columns });
    assert.deepEqual([films.status, films.error], ['Completed', undefined]);
    const { records } = await pinecone.index({ host: vectors, namespace: 'n' }).fetch({ ids: ['f'] });
    assert.deepEqual(records.f?.metadata, { year: 1979, note: 'x' });
  });
});
