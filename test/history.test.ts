// Undo over the wire, of every kind of index: what was overwritten or deleted comes back, also after kills.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { call } from './support/call.ts';
import { ask, type Json } from './support/document-index.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const MANAGED = { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' };
const RECORDS = 1_200;

describe('the history of an index', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  const control = (method: string, path: string, body?: unknown) => ask(service.url, method, path, body);
  const hostOf = async (name: string) => String((await control('GET', `/indexes/${name}`)).host);
  const create = async (body: Json) => String((await control('POST', '/indexes', body)).host);
  const lsnOf = async (name: string) => Number((await control('GET', `/indexes/${name}/history`)).to_lsn);
  const ended = (name: string) =>
    until(async () => {
      const { state, error } = await control('GET', `/indexes/${name}/undo`);
      assert.equal(error, undefined);
      return state === 'Completed';
    }, 'the undo ends');
  const undo = async (name: string, body: Json) => {
    await control('POST', `/indexes/${name}/undo`, body);
    await ended(name);
  };

  it('brings back records that were deleted and overwritten, and tells what changed', async () => {
    const host = await create({ name: 'dense', dimension: 2, metric: 'cosine', spec: SPEC });
    const vectors = [
      { id: 'a', values: [1, 0], metadata: { genre: 'noir' } },
      { id: 'b', values: [0, 1] },
    ];
    const fetched = async () => (await ask(host, 'GET', '/vectors/fetch?ids=a&ids=b&ids=c')).vectors;
    await ask(host, 'POST', '/vectors/upsert', { vectors });
    const [then, lsn, time] = [await fetched(), await lsnOf('dense'), new Date().toISOString()];
    await new Promise((resolve) => setTimeout(resolve, 5));
    await ask(host, 'POST', '/vectors/upsert', {
      vectors: [
        { id: 'a', values: [3, 4] },
        { id: 'c', values: [1, 1] },
      ],
    });
    await ask(host, 'POST', '/vectors/update', { id: 'b', setMetadata: { genre: 'drama' } });
    const later = [await fetched(), await lsnOf('dense')] as const;
    await ask(host, 'POST', '/vectors/delete', { deleteAll: true });
    const { changes } = await control('GET', '/indexes/dense/history/changes');
    assert.deepEqual(
      (changes as readonly Json[]).map(({ kind, record_count: records }) => `${kind} ${records}`),
      ['delete-namespace 3', 'update 1', 'upsert 2', 'upsert 2', 'create-namespace 0'],
    );
    await undo('dense', { namespace: '__default__', to_lsn: lsn });
    assert.deepEqual(await fetched(), then);
    await undo('dense', { to_lsn: later[1] });
    assert.deepEqual(await fetched(), later[0]);
    await undo('dense', { to_time: time });
    assert.deepEqual(await fetched(), then);
    const found = await ask(host, 'POST', '/query', { vector: [1, 0], topK: 3, filter: { genre: 'noir' } });
    assert.deepEqual(
      (found.matches as readonly Json[]).map(({ id }) => id),
      ['a'],
    );
  });

  it('brings back sparse vectors and documents with their texts', async () => {
    const sparse = await create({ name: 'sparse', metric: 'dotproduct', vector_type: 'sparse', spec: SPEC });
    const record = { id: 'a', sparseValues: { indices: [1, 7], values: [0.5, 2] } };
    await ask(sparse, 'POST', '/vectors/upsert', { vectors: [record] });
    await ask(sparse, 'POST', '/vectors/delete', { ids: ['a'] });
    await undo('sparse', { to_lsn: (await lsnOf('sparse')) - 1 });
    const { vectors } = await ask(sparse, 'GET', '/vectors/fetch?ids=a');
    assert.deepEqual((vectors as { a: Json }).a.sparseValues, record.sparseValues);
    const schema = { fields: { text: { type: 'string', full_text_search: {} } } };
    const host = await create({ name: 'texts', schema, deployment: MANAGED });
    const path = '/namespaces/n/documents';
    await ask(host, 'POST', `${path}/upsert`, { documents: [{ _id: 'd', text: 'a quick brown fox' }] });
    await ask(host, 'POST', `${path}/upsert`, { documents: [{ _id: 'd', text: 'a lazy dog' }] });
    await undo('texts', { to_lsn: (await lsnOf('texts')) - 1 });
    const search = { score_by: [{ type: 'text', field: 'text', query: 'fox' }], top_k: 3 };
    const { matches } = await ask(host, 'POST', `${path}/search`, search);
    assert.equal((matches as readonly Json[]).length, 1);
  });

  it('is refused, as the index is, when the records are missing, and affects no other index', async () => {
    const [name, other] = ['lost', 'kept'];
    for (const each of [name, other]) {
      const host = await create({ name: each, dimension: 2, metric: 'cosine', spec: SPEC });
      await ask(host, 'POST', '/vectors/upsert', { vectors: [{ id: 'a', values: [1, 0] }] });
    }
    const folders = readdirSync(join(service.dataDir, 'indexes'));
    await service.stop();
    const lost = folders.find((id) =>
      readFileSync(join(service.dataDir, 'indexes', id, 'index.json'), 'utf8').includes(name),
    );
    rmSync(join(service.dataDir, 'indexes', lost ?? '', 'records.mdb'));
    await service.start();
    const read = (index: string, path: string) => service.call('GET', `/indexes/${index}/history${path}`);
    for (const path of ['', '/changes']) {
      assert.equal((await read(name, path)).status, 503, path);
      assert.equal((await read(other, path)).status, 200, path);
    }
    const undo = await service.call('POST', `/indexes/${name}/undo`, { body: { to_lsn: 1 } });
    assert.equal(undo.status, 503, undo.text);
    await service.call('DELETE', `/indexes/${name}`);
  });

  it('goes on after kills, and loses nothing that was written meanwhile', async () => {
    const name = 'killed';
    let host = await create({ name, dimension: 2, metric: 'dotproduct', spec: SPEC });
    const upsert = async (from: number, value: number) => {
      for (let first = from; first < RECORDS; first += 200)
        await ask(host, 'POST', '/vectors/upsert', {
          vectors: Array.from({ length: 200 }, (_, i) => ({
            id: `r${first + i}`,
            values: [value, first + i],
          })),
        });
    };
    const firstValue = async (id: string) => {
      const { vectors } = await ask(host, 'GET', `/vectors/fetch?ids=${id}`);
      return (vectors as Readonly<Record<string, { values: number[] }>>)[id]?.values[0];
    };
    await upsert(0, 1);
    const lsn = await lsnOf(name);
    await upsert(0, 2);
    await ask(host, 'POST', '/vectors/delete', { deleteAll: true });
    await control('POST', `/indexes/${name}/undo`, { to_lsn: lsn });
    await ask(host, 'POST', '/vectors/upsert', { vectors: [{ id: 'r7', values: [3, 7] }] });
    for (let kills = 0; kills < 2; kills++) {
      await service.kill();
      await service.restart();
      host = await hostOf(name);
    }
    await ended(name);
    assert.equal(await firstValue('r7'), 3);
    for (const id of ['r0', 'r6', 'r8', `r${RECORDS - 1}`]) assert.equal(await firstValue(id), 1, id);
    assert.equal((await ask(host, 'GET', '/describe_index_stats')).totalVectorCount, RECORDS);
  });

  it('refuses moments that it does not keep, and requests that name none or two', async () => {
    const refused = async (body: Json, reason: RegExp) => {
      const response = await fetch(`${service.url}/indexes/dense/undo`, {
        method: 'POST',
        headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      assert.equal(response.status, 400);
      assert.match(await response.text(), reason);
    };
    await refused({ to_time: '2020-01-01T00:00:00Z' }, /the history begins there/);
    await refused({ to_lsn: 1_000_000 }, /the last write of the index/);
    await refused({}, /one of to_lsn and to_time/);
    await refused({ to_time: 'yesterday' }, /to_time must be a moment/);
    await refused({ to_time: '2026-02-30T09:00:00Z' }, /to_time must be a moment/);
  });

  it('answers reads as of a moment, of SDKs and of any client', async () => {
    const host = await create({ name: 'then', dimension: 2, metric: 'cosine', spec: SPEC });
    const vectors = [
      { id: 'a', values: [1, 0], metadata: { genre: 'noir' } },
      { id: 'b', values: [0, 1] },
    ];
    await ask(host, 'POST', '/vectors/upsert', { vectors });
    const lsn = await lsnOf('then');
    await ask(host, 'POST', '/vectors/update', { id: 'a', setMetadata: { genre: 'drama' } });
    await ask(host, 'POST', '/vectors/delete', { ids: ['b'] });
    await ask(host, 'POST', '/vectors/upsert', { namespace: 'n', vectors });
    const sdk = new Pinecone({
      apiKey: API_KEY,
      controllerHostUrl: service.url,
      additionalHeaders: { 'x-pinyon-as-of': String(lsn) },
    });
    const index = sdk.index({ host });
    const { matches } = await index.query({ vector: [0, 1], topK: 5, filter: { genre: 'noir' } });
    assert.deepEqual(
      matches.map(({ id }) => id),
      ['a'],
    );
    assert.deepEqual(Object.keys((await index.fetch({ ids: ['a', 'b'] })).records).sort(), ['a', 'b']);
    assert.equal((await index.describeIndexStats()).totalRecordCount, 2);
    const listed = await index.listPaginated();
    assert.deepEqual(
      listed.vectors?.map(({ id }) => id),
      ['a', 'b'],
    );
    const read = (asOf: string, path: string, body?: unknown) =>
      fetch(`${host}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'api-key': API_KEY, 'content-type': 'application/json', 'x-pinyon-as-of': asOf },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const namespaces = (await (await read(String(lsn), '/namespaces')).json()) as Json;
    assert.deepEqual(
      (namespaces.namespaces as readonly Json[]).map(({ record_count: records }) => String(records)),
      ['2'],
    );
    const browsed = await read(String(lsn), '/records/namespaces/__default__/browse', { limit: 5 });
    assert.equal(((await browsed.json()) as Json).total, 2);
    assert.equal(browsed.headers.get('x-pinecone-max-indexed-lsn'), String(lsn));
    for (const [moment, path, body, reason] of [
      ['2020-01-01T00:00:00Z', '/namespaces', undefined, /the history of the index reaches back to/],
      ['2999-01-01T00:00:00Z', '/namespaces', undefined, /in the future/],
      ['1000000', '/describe_index_stats', undefined, /the last write of the index is/],
      ['yesterday', '/vectors/list', undefined, /must be an LSN or a moment/],
      [String(lsn), '/vectors/upsert', { vectors }, /is for reads/],
    ] as const) {
      const response = await read(moment, path, body);
      assert.equal(response.status, 400, path);
      assert.match(await response.text(), reason);
    }
  });

  it('answers reads as of a moment all the same while others write, and after a kill', async () => {
    const name = 'busy';
    let host = await create({ name, dimension: 2, metric: 'dotproduct', spec: SPEC });
    const write = (from: number, value: number) =>
      ask(host, 'POST', '/vectors/upsert', {
        vectors: Array.from({ length: 100 }, (_, i) => ({
          ...{ id: `r${from + i}`, values: [value, from + i] },
          metadata: { part: (from + i) % 7 },
        })),
      });
    for (let from = 0; from < RECORDS; from += 100) await write(from, 1);
    const headers = { 'x-pinyon-as-of': String(await lsnOf(name)) };
    const reads: readonly (readonly [path: string, body?: Json])[] = [
      ['/query', { vector: [1, 0.5], topK: 50, includeValues: true }],
      ['/query', { vector: [1, -0.5], topK: 20, filter: { part: 3 }, includeMetadata: true }],
      ['/vectors/fetch?ids=r5&ids=r555&ids=r5000'],
      ['/vectors/list?prefix=r1&limit=90'],
      ['/describe_index_stats'],
    ];
    const answers = async () => {
      const all: unknown[] = [];
      for (const [path, body] of reads) {
        const options = { key: API_KEY, headers, ...(body === undefined ? {} : { body }) };
        const answer = await call(host, body === undefined ? 'GET' : 'POST', path, options);
        assert.equal(answer.status, 200, answer.text);
        all.push(answer.body);
      }
      return all;
    };
    const then = await answers();
    let isWriting = true;
    const writing = (async () => {
      for (let i = 2; isWriting; i++) {
        await write(((i * 7) % 12) * 100, i);
        await ask(host, 'POST', '/vectors/delete', { filter: { part: i % 7 } });
      }
    })();
    for (let i = 0; i < 15; i++) assert.deepEqual(await answers(), then);
    isWriting = false;
    await writing;
    await service.kill();
    await service.restart();
    host = await hostOf(name);
    assert.deepEqual(await answers(), then);
  });

  it('shows no record as of a moment that has expired since', async () => {
    const host = await create({ name: 'expiring', dimension: 2, metric: 'cosine', spec: SPEC });
    await control('PUT', '/indexes/expiring/ttl', { field: 'until' });
    const expiresAt = Date.now() / 1_000 + 2;
    await ask(host, 'POST', '/vectors/upsert', {
      vectors: [
        { id: 'short', values: [1, 0], metadata: { until: expiresAt } },
        { id: 'long', values: [0, 1] },
      ],
    });
    const headers = { 'x-pinyon-as-of': String(await lsnOf('expiring')) };
    const ids = async () => {
      const options = { key: API_KEY, headers, body: { vector: [1, 1], topK: 5 } };
      const { matches } = (await call(host, 'POST', '/query', options)).body as { matches: Json[] };
      return matches.map(({ id }) => id).sort();
    };
    assert.deepEqual(await ids(), ['long', 'short']);
    await until(async () => (await ids()).length === 1, 'the record expires');
    assert.deepEqual(await ids(), ['long']);
  });

  it('answers searches of texts as of a moment', async () => {
    const schema = { fields: { text: { type: 'string', full_text_search: {} } } };
    const host = await create({ name: 'texts-then', schema, deployment: MANAGED });
    const path = '/namespaces/n/documents';
    await ask(host, 'POST', `${path}/upsert`, { documents: [{ _id: 'd', text: 'a quick brown fox' }] });
    const lsn = await lsnOf('texts-then');
    await ask(host, 'POST', `${path}/upsert`, { documents: [{ _id: 'd', text: 'a lazy dog' }] });
    const env = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY };
    const found = async (...words: string[]) =>
      (await runCli(['document', 'search', 'texts-then', 'fox', '-n', 'n', '--json', ...words], env)).out;
    assert.match(await found('--as-of', String(lsn)), /quick brown fox/);
    assert.doesNotMatch(await found(), /fox/);
    const fetched = ['document', 'fetch', 'texts-then', 'd', '-n', 'n', '--as-of', String(lsn)];
    assert.match((await runCli(fetched, env)).out, /quick brown fox/);
    const listed = ['namespace', 'list', 'texts-then', '--json', '--as-of', '0'];
    assert.equal((await runCli(listed, env)).out.trim(), '[]');
  });

  it('stays out of backups, and troubles neither them nor checks', async () => {
    const host = await create({ name: 'backed', dimension: 2, metric: 'cosine', spec: SPEC });
    const vectors = Array.from({ length: 50 }, (_, i) => ({ id: `r${i}`, values: [1, i] }));
    for (const namespace of ['dropped', 'kept']) {
      await ask(host, 'POST', '/vectors/upsert', { namespace, vectors });
      await ask(host, 'POST', '/vectors/upsert', { namespace, vectors });
    }
    await ask(host, 'POST', '/vectors/delete', { namespace: 'dropped', deleteAll: true });
    await control('POST', '/indexes/backed/check');
    await until(async () => {
      const { state, problems } = await control('GET', '/indexes/backed/check');
      if (state === 'Completed') assert.deepEqual(problems, []);
      return state === 'Completed';
    }, 'the check ends');
    const { backup_id: id } = await control('POST', '/indexes/backed/backups', {});
    await until(
      async () => (await control('GET', `/backups/${id}`)).status === 'Ready',
      'the backup is ready',
    );
    await control('POST', `/backups/${id}/create-index`, { name: 'restored' });
    await until(
      async () => ((await control('GET', '/indexes/restored')).status as Json).ready === true,
      'the restored index is ready',
    );
    const stats = await ask(await hostOf('restored'), 'GET', '/describe_index_stats');
    assert.equal(stats.totalVectorCount, 50);
    const history = await control('GET', '/indexes/restored/history');
    assert.deepEqual([history.enabled, history.changes], [true, 0]);
    await undo('backed', { namespace: 'dropped', to_lsn: (await lsnOf('backed')) - 1 });
    const { totalVectorCount } = await ask(host, 'GET', '/describe_index_stats');
    assert.equal(totalVectorCount, 100);
  });

  it('is there in a shell', async () => {
    const host = await create({ name: 'shell', dimension: 2, metric: 'cosine', spec: SPEC });
    await ask(host, 'POST', '/vectors/upsert', { vectors: [{ id: 'a', values: [1, 0] }] });
    await ask(host, 'POST', '/vectors/delete', { ids: ['a'] });
    const env = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY };
    const shown = await runCli(['history', 'shell', '--json'], env);
    const { changes } = JSON.parse(shown.out) as { changes: { kind: string; lsn: number }[] };
    const lsn = changes.find(({ kind }) => kind === 'delete')?.lsn;
    const unasked = await runCli(['undo', 'shell', '--before', String(lsn)], env);
    assert.equal(unasked.code, 1);
    assert.match(unasked.err, /^Index shell will be as it was after the write with LSN \d+\. Give --yes/);
    const undone = await runCli(['undo', 'shell', '--before', String(lsn), '--yes'], env);
    assert.match(undone.out, /1 record put back as before, 0 later ones removed\. To undo this: pinyon undo/);
    const { vectors } = await ask(host, 'GET', '/vectors/fetch?ids=a');
    assert.deepEqual(Object.keys(vectors as Json), ['a']);
  });
});
