// Bulk imports and exports of documents: JSON lines, one document a line, as an upsert takes them, and Parquet.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { call } from './support/call.ts';
import { DocumentIndex, type Json } from './support/document-index.ts';
import { parquetBytes } from './support/import-files.ts';
import { Random } from './support/random.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const FIELDS = {
  title: { type: 'string', full_text_search: {} },
  'naïve.body': { type: 'string', full_text_search: { language: 'de', stemming: true } },
  embedding: { type: 'dense_vector', dimension: 3, metric: 'euclidean' },
  terms: { type: 'sparse_vector' },
};
const EMBEDDED = {
  text: { type: 'string', embed: { dimension: 384 }, sparse_embed: {} },
  title: { type: 'string', full_text_search: {} },
};
const ODD_METADATA: readonly Json[] = [
  {},
  { constructor: true, toString: 'own' },
  { big: 2 ** 53, bigger: 1e300, small: 5e-324, sum: 0.1 + 0.2 },
  { text: 'é\n"😀\u2028\u0000', 'naïve 键': ['', 'a', '\\'], none: [] },
];
const NAMESPACES = ['__default__', 'a/b .. %c', 'x'.repeat(512)];
const ROWS = 150;

describe('bulk transfers of documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-documents-'));
  const place = `file://${folder}`;
  let service: Service;
  before(async () => {
    service = await startService({ env: { PINYON_IMPORT_FROM: place, PINYON_EXPORT_TO: place } });
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  function put(path: string, content: string | Uint8Array): void {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }

  for (const format of ['jsonl', 'parquet']) {
    it(`give back every document of an export as ${format}, whose manifest lists the digest of each file`, async () => {
      const random = new Random(17);
      const source = await DocumentIndex.create(service, `source-${format}`, FIELDS);
      for (const namespace of NAMESPACES) await source.upsert(randomDocuments(random, ROWS), namespace);
      const exported = await source.transferred('exports', { uri: `${place}/${format}`, format });
      const total = ROWS * NAMESPACES.length;
      assert.deepEqual(
        [exported.status, exported.recordsExported],
        ['Completed', total],
        String(exported.error),
      );
      const manifest = JSON.parse(readFileSync(join(folder, format, 'manifest.json'), 'utf8'));
      assert.equal(manifest.format, format);
      for (const { path, sha256 } of manifest.files) {
        const content = readFileSync(join(folder, format, path));
        assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
      }
      const target = await DocumentIndex.create(service, `target-${format}`, FIELDS);
      const body = { uri: `${place}/${format}`, errorMode: { onError: 'abort' } };
      const imported = await target.transferred('imports', body);
      assert.deepEqual(
        [imported.status, imported.recordsImported],
        ['Completed', total],
        String(imported.error),
      );
      for (const namespace of NAMESPACES) {
        assert.deepEqual(await target.all(namespace), await source.all(namespace));
        assert.deepEqual(
          (await target.matching('w1', namespace)).toSorted(),
          (await source.matching('w1', namespace)).toSorted(),
        );
      }
    });
  }

  it('read compressed files, and embed texts as upserts do', async () => {
    const documents = Array.from({ length: ROWS }, (_, at) => ({
      _id: `d${at}`,
      text: `The word${at % 7} of number ${at}`,
      number: at,
    }));
    put('packed/new/1.jsonl.gz', gzipSync(linesOf(documents)));
    const imported = await DocumentIndex.create(service, 'imported', EMBEDDED);
    const state = await imported.transferred('imports', { uri: `${place}/packed` });
    assert.deepEqual([state.status, state.recordsImported], ['Completed', ROWS], String(state.error));
    const upserted = await DocumentIndex.create(service, 'upserted', EMBEDDED);
    for (let first = 0; first < ROWS; first += 50) {
      await upserted.upsert(documents.slice(first, first + 50), 'new');
    }
    for (const type of ['embed', 'sparse_embed']) {
      const search = { score_by: [{ type, field: 'text', query: 'word3 of number 80' }], top_k: 20 };
      const { matches } = await imported.documents('search', search, 'new');
      assert.deepEqual(matches, (await upserted.documents('search', search, 'new')).matches);
      assert.ok((matches as readonly Json[]).length > 0);
    }
    assert.deepEqual(await imported.all('new'), await upserted.all('new'));
    await imported.transferred('exports', { uri: `${place}/columns`, format: 'parquet' });
    const fromColumns = await DocumentIndex.create(service, 'from-columns', EMBEDDED);
    const read = await fromColumns.transferred('imports', { uri: `${place}/columns` });
    assert.deepEqual([read.status, read.recordsImported], ['Completed', ROWS], String(read.error));
    assert.deepEqual(await fromColumns.all('new'), await imported.all('new'));
    const search = { score_by: [{ type: 'embed', field: 'text', query: 'word3 of number 80' }], top_k: 20 };
    const { matches } = await fromColumns.documents('search', search, 'new');
    assert.deepEqual(matches, (await imported.documents('search', search, 'new')).matches);
  });

  it('skip bad lines and report each, or end at the first', async () => {
    const good = { _id: 'good', title: 'fine', embedding: [1, 2, 3] };
    const lines = [
      good,
      { _id: 'short', embedding: [1] },
      { _id: 'none', title: 'without its vector' },
      { title: 'no id', embedding: [1, 2, 3] },
      { _id: 'null', embedding: [1, 2, 3], year: null },
      { id: 'a', values: [1, 2, 3] },
    ];
    put('bad/new/1.jsonl', `${linesOf(lines)}{"_id": \n`);
    const index = await DocumentIndex.create(service, 'bad', FIELDS);
    const uri = `${place}/bad`;
    const stopped = await index.transferred('imports', { uri, errorMode: { onError: 'abort' } });
    assert.equal(stopped.status, 'Failed');
    assert.match(String(stopped.error), /row 2 \(id short\): .*dimension 1/);
    assert.deepEqual(await index.all('new'), {});
    const state = await index.transferred('imports', { uri });
    assert.deepEqual([state.status, state.recordsImported], ['Completed', 1], String(state.error));
    assert.deepEqual(await index.all('new'), { good });
    const taken = await index.transferred('imports', { uri });
    assert.match(String(taken.error), /already exists/);
  });

  it('report rows of columns with values that are no numbers, and take none of them', async () => {
    const rows = [
      [1, 2],
      [Number.NaN, 1],
      [1, Number.NaN],
      [Number.POSITIVE_INFINITY, 1],
    ].map((values, at) => ({ id: `r${at}`, sparse_values: { indices: [7, 9], values } }));
    put('nan/new/1.parquet', parquetBytes(rows, ['id', 'sparse_values']));
    const index = await DocumentIndex.create(service, 'nan', { terms: { type: 'sparse_vector' } });
    const body = { uri: `${place}/nan`, columns: { _id: 'id', terms: 'sparse_values' } };
    const stopped = await index.transferred('imports', { ...body, errorMode: { onError: 'abort' } });
    assert.match(String(stopped.error), /row 2 \(id r1\): .*finite 32-bit floats/);
    const state = await index.transferred('imports', body);
    assert.deepEqual([state.status, state.recordsImported], ['Completed', 1], String(state.error));
    assert.deepEqual(Object.keys(await index.all('new')), ['r0']);
  });

  it('refuse files of the other kind of index, with the reason', async () => {
    put('vectors/new/1.jsonl', linesOf([{ _id: 'a', values: [1, 2, 3] }]));
    const host = await service.createIndex({ name: 'vectors', dimension: 3, metric: 'cosine' });
    const vectors = new DocumentIndex('vectors', host);
    const state = await vectors.transferred('imports', { uri: `${place}/vectors` });
    assert.equal(state.status, 'Failed');
    assert.match(String(state.error), /The line is a document/);
    put('cut/new/1.jsonl.gz', gzipSync(linesOf(randomDocuments(new Random(3), 20))).subarray(0, -30));
    const index = await DocumentIndex.create(service, 'cut', FIELDS);
    const cut = await index.transferred('imports', { uri: `${place}/cut`, errorMode: { onError: 'abort' } });
    assert.match(String(cut.error), /not a whole gzip file/);
    // By default, what was read before the end stays.
    const kept = await index.transferred('imports', { uri: `${place}/cut` });
    assert.equal(kept.status, 'Completed', String(kept.error));
    assert.ok(Number(kept.recordsImported) > 0 && Number(kept.recordsImported) < 20);
  });

  it('refuse to export what the files could not hold', async () => {
    const fields = { text: { type: 'string', embed: { dimension: 384 }, store_text: false } };
    const index = await DocumentIndex.create(service, 'unstored', fields);
    const refused = await call(index.host, 'POST', '/bulk/exports', { key: API_KEY, body: {} });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /does not store its texts/);
  });
});

function linesOf(documents: readonly object[]): string {
  return documents.map((document) => `${JSON.stringify(document)}\n`).join('');
}

/** Documents of every kind of field, each kind in some of them. */
function randomDocuments(random: Random, count: number): readonly Json[] {
  const float = () => Math.fround((random.next() - 0.5) * 10 ** (random.below(9) - 4)) || 1;
  const words = () => Array.from({ length: random.below(9) }, () => `w${random.below(20)}`).join(' ');
  const terms = () => {
    const indices = [...new Set(Array.from({ length: 1 + random.below(5) }, () => random.below(2 ** 32)))];
    const sorted = indices.toSorted((one, other) => one - other);
    return { indices: sorted, values: sorted.map(float) };
  };
  return Array.from({ length: count }, (_, at) => ({
    _id: `${random.below(1e9)}-${at}"\\`,
    embedding: [float(), float(), 1 + random.next()].map(Math.fround),
    ...(random.below(3) === 0 ? {} : { title: words() }),
    ...(random.below(3) === 0 ? { 'naïve.body': `${words()} \u0000 é 😀` } : {}),
    ...(random.below(2) === 0 ? { terms: terms() } : {}),
    ...random.pick(ODD_METADATA),
  }));
}
