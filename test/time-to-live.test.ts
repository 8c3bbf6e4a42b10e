// Time to live over the wire, of every kind of index: what has expired is never seen, also after kills and restores.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask, type Json } from './support/document-index.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const MANAGED = { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' };
const PAST = 1_000_000_000;
const FUTURE = 4_000_000_000;
const FIELD = 'expires_at';

describe('an index with a time to live', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  const control = (method: string, path: string, body?: unknown) => ask(service.url, method, path, body);
  const setTtl = (name: string, more: Json = {}) =>
    control('PUT', `/indexes/${name}/ttl`, { field: FIELD, ...more });
  const hostOf = async (name: string) => String((await control('GET', `/indexes/${name}`)).host);
  const create = async (body: Json) => {
    const { host } = await control('POST', '/indexes', body);
    return String(host);
  };
  const idsOf = (list: unknown, key = 'id') => (list as readonly Json[]).map((each) => each[key]);

  it('shows no expired record of dense vectors, in any read', async () => {
    const host = await create({ name: 'dense', dimension: 2, metric: 'cosine', spec: SPEC });
    const vectors = [
      { id: 'old', values: [1, 0], metadata: { genre: 'noir', [FIELD]: PAST } },
      { id: 'new', values: [1, 1], metadata: { genre: 'noir', [FIELD]: FUTURE } },
      { id: 'ever', values: [0, 1] },
    ];
    await ask(host, 'POST', '/vectors/upsert', { vectors });
    assert.deepEqual(Object.keys((await ask(host, 'GET', '/vectors/fetch?ids=old')).vectors as Json), [
      'old',
    ]);
    assert.deepEqual(await setTtl('dense', { namespaces: { '': 60, brief: 1 } }), {
      ...{ field: FIELD, seconds: null },
      namespaces: { __default__: 60, brief: 1 },
    });
    const query = async (more: Json = {}) =>
      idsOf((await ask(host, 'POST', '/query', { vector: [1, 0], topK: 3, ...more })).matches);
    assert.deepEqual(await query(), ['new', 'ever']);
    assert.deepEqual(await query({ filter: { genre: 'noir' } }), ['new']);
    assert.deepEqual(await query({ filter: { [FIELD]: { $lt: FUTURE } } }), []);
    const { vectors: fetched } = await ask(host, 'GET', '/vectors/fetch?ids=old&ids=new&ids=ever');
    assert.deepEqual(Object.keys(fetched as Json).sort(), ['ever', 'new']);
    assert.deepEqual(idsOf((await ask(host, 'GET', '/vectors/list?limit=2')).vectors), ['ever', 'new']);
    const byFilter = await ask(host, 'POST', '/vectors/fetch_by_metadata', { filter: { genre: 'noir' } });
    assert.deepEqual(Object.keys(byFilter.vectors as Json), ['new']);
    const browsed = await ask(host, 'POST', '/records/namespaces/__default__/browse', {});
    assert.deepEqual(idsOf(browsed.records ?? browsed.items, '_id').length, 2);
    // An update does not bring one back, and an upsert makes a new one.
    await ask(host, 'POST', '/vectors/update', { id: 'old', setMetadata: { [FIELD]: FUTURE } });
    assert.deepEqual(await query(), ['new', 'ever']);
    await ask(host, 'POST', '/vectors/upsert', { vectors: [{ id: 'old', values: [1, 0] }] });
    assert.deepEqual(await query(), ['old', 'new', 'ever']);
    // Its namespace goes with the last record.
    await ask(host, 'POST', '/vectors/upsert', {
      namespace: 'brief',
      vectors: [{ id: 'a', values: [1, 0] }],
    });
    await until(async () => (await query({ namespace: 'brief' })).length === 0, 'the record expires');
    await until(async () => {
      const stats = await ask(host, 'POST', '/describe_index_stats', {});
      return stats.totalVectorCount === 3 && !Object.hasOwn(stats.namespaces as Json, 'brief');
    }, 'the record is removed');
  });

  it('shows no expired record of sparse vectors, texts and documents, and counts none', async () => {
    const sparse = await create({ name: 'sparse', vector_type: 'sparse', metric: 'dotproduct', spec: SPEC });
    const entry = (id: string, moment: number) => ({
      id,
      sparseValues: { indices: [1], values: [1] },
      metadata: { [FIELD]: moment },
    });
    await setTtl('sparse');
    await ask(sparse, 'POST', '/vectors/upsert', { vectors: [entry('old', PAST), entry('new', FUTURE)] });
    const found = await ask(sparse, 'POST', '/query', {
      sparseVector: { indices: [1], values: [1] },
      topK: 5,
    });
    assert.deepEqual(idsOf(found.matches), ['new']);

    const embed = { model: 'multilingual-e5-large', field_map: { text: 'body' } };
    const { host } = await control('POST', '/indexes/create-for-model', {
      ...{ name: 'texts', cloud: 'aws', region: 'us-east-1', embed },
    });
    await setTtl('texts', { seconds: 3_600 });
    for (const record of [
      { _id: 'old', body: 'a heron', [FIELD]: PAST },
      { _id: 'new', body: 'a heron' },
    ])
      await ask(String(host), 'POST', '/records/namespaces/n/upsert', record);
    const searched = await ask(String(host), 'POST', '/records/namespaces/n/search', {
      query: { inputs: { text: 'heron' }, top_k: 5 },
    });
    const { hits } = searched.result as Json;
    assert.deepEqual(idsOf(hits, '_id'), ['new']);

    const fields = { body: { type: 'string', full_text_search: {} } };
    const documents = await create({ name: 'documents', deployment: MANAGED, schema: { fields } });
    await setTtl('documents');
    await ask(documents, 'POST', '/namespaces/n/documents/upsert', {
      documents: [
        { _id: 'old', body: 'a heron', genre: 'bird', [FIELD]: PAST },
        { _id: 'new', body: 'a heron', genre: 'bird', [FIELD]: FUTURE },
      ],
    });
    const answer = await ask(documents, 'POST', '/namespaces/n/documents/search', {
      score_by: [{ type: 'text', field: 'body', query: 'heron' }],
      top_k: 5,
      facets: [{ field: 'genre', limit: 5 }],
    });
    assert.deepEqual((answer.facets as readonly Json[])[0]?.values, [{ value: 'bird', count: 1 }]);
    assert.deepEqual(idsOf(answer.matches, '_id'), ['new']);
  });

  it('keeps its moments through kills, backups, exports and aliases', async () => {
    const host = await hostOf('dense');
    const moment = Math.floor(Date.now() / 1_000) + 3;
    const vectors = Array.from({ length: 50 }, (_, i) => ({
      ...{ id: `v${i}`, values: [1, i] },
      metadata: { [FIELD]: i % 2 === 0 ? moment : FUTURE },
    }));
    await ask(host, 'POST', '/vectors/upsert', { namespace: 'kept', vectors });
    await ask(host, 'POST', '/namespace-aliases', { name: 'alias', target_namespace: 'kept' });
    const { backup_id: backup } = await control('POST', '/indexes/dense/backups', { name: 'b' });
    await until(
      async () => (await control('GET', `/backups/${backup}`)).status === 'Ready',
      'the backup is made',
    );
    await until(async () => Date.now() / 1_000 > moment, 'the moment passes');
    await service.kill();
    await service.start();
    const odd = async (at: string, namespace: string) => {
      const query = { namespace, vector: [1, 0], topK: 100 };
      const { matches } = await ask(at, 'POST', '/query', query);
      const ids = idsOf(matches).map((id) => Number(String(id).slice(1)));
      assert.equal(ids.length, 25);
      assert.ok(ids.every((id) => id % 2 === 1));
    };
    const again = await hostOf('dense');
    for (const namespace of ['kept', 'alias']) await odd(again, namespace);
    await control('POST', `/backups/${backup}/create-index`, { name: 'restored' });
    await until(async () => {
      const { status } = await control('GET', '/indexes/restored');
      return (status as Json).ready === true;
    }, 'the backup is restored');
    assert.equal((await control('GET', '/indexes/restored/ttl')).field, FIELD);
    await odd(await hostOf('restored'), 'kept');
    const { id } = await ask(again, 'POST', '/bulk/exports', { namespace: 'kept' });
    await until(async () => {
      const exported = await ask(again, 'GET', `/bulk/exports/${id}`);
      assert.notEqual(exported.status, 'Failed', String(exported.error));
      return exported.status === 'Completed';
    }, 'the export is made');
    assert.equal((await ask(again, 'GET', `/bulk/exports/${id}`)).recordsExported, 25);
  });

  it('is set, shown and ended from the command line, and shows again what was not removed', async () => {
    const cli = (...words: readonly string[]) =>
      runCli([...words], { PINYON_URL: service.url, PINYON_API_KEY: API_KEY });
    const set = await cli('ttl', 'set', 'sparse', '--field', 'until', '--namespaces', 'a=60,b=ever');
    assert.match(set.out, /a: for 60 seconds\n\s+b: for ever/);
    assert.match((await cli('ttl', 'describe', 'sparse')).out, /field until/);
    assert.equal((await cli('ttl', 'end', 'sparse')).code, 0);
    assert.equal((await control('GET', '/indexes/sparse/ttl')).field, null);
    const refused = await cli('ttl', 'set', 'sparse', '--field', 'until', '--seconds', 'soon');
    assert.match(refused.err, /whole number of seconds/);
  });

  it('is not set from the command line where stored records would expire at once, unless somebody agrees', async () => {
    await create({ name: 'films', dimension: 2, metric: 'cosine', spec: SPEC });
    const at = await hostOf('films');
    const later = Math.floor(Date.now() / 1_000) + 3_600;
    for (const namespace of ['', 'old'])
      await ask(at, 'POST', '/vectors/upsert', {
        namespace,
        vectors: [2019, 2021].map((year) => ({
          ...{ id: `r${year}`, values: [1, 0], metadata: { year, until: later, title: '2020' } },
        })),
      });
    const set = (...words: readonly string[]) =>
      runCli(['ttl', 'set', 'films', '--field', ...words], {
        PINYON_URL: service.url,
        PINYON_API_KEY: API_KEY,
      });
    const unasked = await set('year');
    assert.equal(unasked.code, 1);
    assert.match(
      unasked.err,
      /^4 records of index films with a moment in the past in year will expire at once\. Give --yes/m,
    );
    assert.equal((await control('GET', '/indexes/films/ttl')).field, null);
    for (const field of ['until', 'title', 'absent']) assert.equal((await set(field)).code, 0, field);
    assert.equal((await set('year', '--yes')).code, 0);
    assert.equal((await control('GET', '/indexes/films/ttl')).field, 'year');
  });

  it('refuses fields that filters cannot use, and namespaces that leave the field out', async () => {
    const metadata = { fields: { year: { filterable: true } } };
    await create({
      ...{ name: 'strict', dimension: 2, metric: 'cosine' },
      spec: { serverless: { ...SPEC.serverless, schema: metadata } },
    });
    const set = (field: string) =>
      service.call('PUT', '/indexes/strict/ttl', { version: '2026-07', body: { field } });
    assert.equal((await set(FIELD)).status, 400);
    assert.equal((await set('year')).status, 200);
  });
});
