// Branches over the wire: a change is tried on a branch of a namespace, through the official SDK, looked at, and merged or
// dropped; also of documents, beside backups, and after kills.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { ask, type Json } from './support/document-index.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const MANAGED = { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' };
const RECORDS = 1_200;

describe('branches of namespaces', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  const control = (method: string, path: string, body?: unknown) => ask(service.url, method, path, body);
  const create = async (body: Json) => String((await control('POST', '/indexes', body)).host);
  const hostOf = async (name: string) => String((await control('GET', `/indexes/${name}`)).host);
  const merged = (path: string) =>
    until(async () => {
      const { state, error } = await control('GET', `${path}/merge`);
      assert.equal(error, undefined);
      return state === 'Completed';
    }, 'the merge ends');
  const upsertAll = async (host: string, namespace: string, value: number) => {
    for (let first = 0; first < RECORDS; first += 200)
      await ask(host, 'POST', '/vectors/upsert', {
        namespace,
        vectors: Array.from({ length: 200 }, (_, i) => ({
          id: `r${first + i}`,
          values: [value, first + i],
          metadata: { n: first + i },
        })),
      });
  };

  it('take changes of the SDK that their source does not see, until they are merged', async () => {
    const host = await create({ name: 'films', dimension: 2, metric: 'cosine', spec: SPEC });
    await upsertAll(host, 'drama', 1);
    const branch = await control('POST', '/indexes/films/branches', { source: 'drama', name: 'retagged' });
    assert.deepEqual([branch.state, branch.record_count, branch.own_record_count], ['shared', RECORDS, 0]);
    const sdk = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    const [own, source] = ['retagged', 'drama'].map((namespace) => sdk.index({ host, namespace }));
    assert.ok(own !== undefined && source !== undefined);
    await own.update({ id: 'r5', metadata: { tag: 'new' } });
    await own.deleteMany({ filter: { n: { $gte: RECORDS - 10 } } });
    await own.deleteMany({ ids: ['r1'] });
    await own.upsert({ records: [{ id: 'added', values: [1, 0] }] });
    assert.equal((await own.fetch({ ids: ['r1', 'r2', 'r5'] })).records.r5?.metadata?.tag, 'new');
    assert.equal((await source.fetch({ ids: ['r5'] })).records.r5?.metadata?.tag, undefined);
    const found = await own.query({ vector: [1, 0], topK: 4 });
    assert.deepEqual(
      found.matches.map(({ id }) => id),
      ['added', 'r0', 'r2', 'r3'],
    );
    const { namespaces = {} } = await own.describeIndexStats();
    assert.equal(namespaces.retagged?.recordCount, RECORDS - 10);
    assert.equal(namespaces.drama?.recordCount, RECORDS);
    const path = '/indexes/films/branches/retagged';
    const { differences, counts } = await control('GET', `${path}/differences?counts=true&limit=3`);
    assert.deepEqual(differences, [
      { id: 'added', in_branch: 'added' },
      { id: 'r1', in_branch: 'deleted' },
      { id: 'r1190', in_branch: 'deleted' },
    ]);
    assert.deepEqual(counts, {
      in_branch: { added: 1, changed: 1, deleted: 11 },
      in_source: { added: 0, changed: 0, deleted: 0 },
      conflicts: 0,
    });
    const comparison = await control('POST', `${path}/compare`, { queries: [{ id: 'r0' }], top_k: 4 });
    assert.equal(comparison.overlap, 0.75);
    assert.equal(comparison.recall, undefined);
    const measured = await control('POST', `${path}/compare`, {
      queries: [{ id: 'r0' }, { vector: [1, 0.5] }],
      recall: true,
    });
    assert.deepEqual(measured.recall, { source: 1, branch: 1 });
    for (const [body, reason] of [
      [{ queries: [{ vector: [1e39, 1] }] }, /32-bit/],
      [{ queries: [{ vector: [0, 0] }] }, /non-zero/],
      [{ queries: [{ vector: [1] }] }, /dimension 1/],
      [{ queries: [{ vector: [1, 1], id: 'r0' }] }, /one of id, vector and text/],
      [{ queries: [{ text: 'x' }] }, /made for a model/],
      [{ queries: Array.from({ length: 11 }, () => ({ id: 'r0' })), recall: true }, /at most 10 queries/],
    ] as const) {
      const refused = await service.call('POST', `${path}/compare`, { body });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, reason);
    }
    await control('POST', `${path}/merge`, {});
    await merged(path);
    assert.equal((await source.fetch({ ids: ['r5'] })).records.r5?.metadata?.tag, 'new');
    assert.equal((await source.describeIndexStats()).namespaces?.drama?.recordCount, RECORDS - 10);
    assert.deepEqual((await control('GET', `${path}/differences`)).differences, []);
  });

  it('are compared within the bounds of the request, and otherwise left as they are', async () => {
    const body = { name: 'terms', schema: { fields: { _sparse_values: { type: 'sparse_vector' } } } };
    const host = await create({ ...body, deployment: MANAGED });
    const sparse = (id: string, i: number) => ({
      id,
      sparseValues: { indices: [1, 2 + (i % 5)], values: [1, i + 1] },
    });
    const vectors = Array.from({ length: 400 }, (_, i) => sparse(`s${i}`, i));
    await ask(host, 'POST', '/vectors/upsert', { namespace: 'n', vectors });
    await control('POST', '/indexes/terms/branches', { source: 'n', name: 'b' });
    const queries = [{ id: 's7' }];
    const path = '/indexes/terms/branches/b/compare';
    const before = await control('POST', path, { queries, top_k: 100 });
    for (const [refusedBody, reason] of [
      ...[0, -1, -1_000_000, 101, 1e9].map((top_k) => [{ queries, top_k }, /top_k/] as const),
      [{ queries: [] }, /1 to 100 queries, got 0/],
      [{ queries: Array.from({ length: 101 }, () => ({ id: 's7' })) }, /1 to 100 queries, got 101/],
      [{ queries: [{ text: 'x'.repeat(10_001) }] }, /10000 characters/],
    ] as const) {
      const refused = await service.call('POST', path, { body: refusedBody });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, reason);
    }
    assert.deepEqual(await control('POST', path, { queries, top_k: 100 }), before);
    const all = Array.from({ length: 100 }, () => ({ id: 's7' }));
    assert.equal(((await control('POST', path, { queries: all, top_k: 1 })).queries as Json[]).length, 100);
  });

  it('are compared by texts where a model embeds them', async () => {
    const embed = { model: 'pinecone-sparse-english-v0', field_map: { text: 'body' } };
    const made = { name: 'notes', cloud: 'aws', region: 'us-east-1', embed };
    const host = String((await control('POST', '/indexes/create-for-model', made)).host);
    const upsert = (namespace: string, records: readonly Json[]) =>
      ask(
        host,
        'POST',
        `/records/namespaces/${namespace}/upsert`,
        records.map((each) => JSON.stringify(each)).join('\n'),
      );
    await upsert('n', [
      { _id: 'a', body: 'Herons stand in water.' },
      { _id: 'b', body: 'A heron flies.' },
    ]);
    await control('POST', '/indexes/notes/branches', { source: 'n', name: 'changed' });
    await upsert('changed', [{ _id: 'c', body: 'Heron, heron, heron.' }]);
    const queries = [{ text: 'heron' }];
    const path = '/indexes/notes/branches/changed';
    const compared = await control('POST', `${path}/compare`, { queries, recall: true });
    assert.deepEqual([compared.overlap, compared.recall], [1, { source: 1, branch: 1 }]);
    const [{ moved }] = compared.queries as readonly [{ readonly moved: readonly Json[] }];
    assert.ok(moved.some(({ id, in_source: before }) => id === 'c' && before === undefined));
    const cli = await runCli(['branch', 'compare', 'notes', 'changed', '--text', 'heron', '--recall'], {
      PINYON_URL: service.url,
      PINYON_API_KEY: API_KEY,
    });
    assert.equal(cli.code, 0, cli.err);
    assert.match(cli.out, /100 % of the results; recall 100 % in the source, 100 % in the branch/);
  });

  it('show no expired records in comparisons and differences', async () => {
    const host = await create({ name: 'sessions', dimension: 2, metric: 'cosine', spec: SPEC });
    await control('PUT', '/indexes/sessions/ttl', { field: 'until' });
    const later = Math.floor(Date.now() / 1_000) + 3_600;
    // Fractions of a second count as the next one.
    const soon = Math.floor(Date.now() / 1_000) + 2;
    const upsert = (namespace: string, id: string, until: number, values: readonly number[]) =>
      ask(host, 'POST', '/vectors/upsert', { namespace, vectors: [{ id, values, metadata: { until } }] });
    await upsert('n', 'stays', later, [1, 0]);
    await upsert('n', 'goes', soon, [1, 0.1]);
    await control('POST', '/indexes/sessions/branches', { source: 'n', name: 'b' });
    await upsert('b', 'stays', later, [0, 1]);
    await upsert('b', 'goes', soon, [0, 1]);
    await upsert('n', 'goes', soon, [1, 1]);
    const path = '/indexes/sessions/branches/b';
    await until(() => Date.now() / 1_000 > soon + 1);
    const { differences, counts } = await control('GET', `${path}/differences?counts=true`);
    const shown = differences as readonly { readonly id: string; readonly in_branch?: string }[];
    assert.deepEqual(
      shown.filter(({ in_branch: change }) => change !== 'deleted').map(({ id }) => id),
      ['stays'],
    );
    assert.equal((counts as { readonly in_branch: Json }).in_branch.changed, 1);
    const compared = await control('POST', `${path}/compare`, { queries: [{ vector: [1, 1] }] });
    assert.equal(JSON.stringify(compared).includes('goes'), false);
    const refused = await service.call('POST', `${path}/compare`, { body: { queries: [{ id: 'goes' }] } });
    assert.equal(refused.status, 400, refused.text);
    await control('POST', `${path}/merge`, { on_conflict: 'fail' });
  });

  it('tell of records that both sides have changed, and let one of them win', async () => {
    const host = await hostOf('films');
    const path = '/indexes/films/branches/retagged';
    const write = (namespace: string, tag: string) =>
      ask(host, 'POST', '/vectors/update', { namespace, id: 'r9', setMetadata: { tag } });
    await write('retagged', 'branch');
    await write('drama', 'source');
    const refused = await service.call('POST', `${path}/merge`, { body: {} });
    assert.equal(refused.status, 409, refused.text);
    const cli = await runCli(['branch', 'merge', 'films', 'retagged', '--on-conflict', 'branch', '--json'], {
      PINYON_URL: service.url,
      PINYON_API_KEY: API_KEY,
    });
    assert.equal(cli.code, 0, cli.err);
    const { vectors } = await ask(host, 'GET', '/vectors/fetch?ids=r9&namespace=drama');
    assert.equal((vectors as { r9: { metadata: Json } }).r9.metadata.tag, 'branch');
    const dropped = await service.call('DELETE', path);
    assert.equal(dropped.status, 202);
    assert.deepEqual((await control('GET', '/indexes/films/branches')).branches, []);
    assert.equal((await service.call('GET', path)).status, 404);
  });

  it('search documents by their words, and are in backups', async () => {
    const schema = { fields: { text: { type: 'string', full_text_search: {} } } };
    const host = await create({ name: 'texts', schema, deployment: MANAGED });
    const documents = [
      { _id: 'd1', text: 'a quick brown fox' },
      { _id: 'd2', text: 'a lazy dog' },
    ];
    await ask(host, 'POST', '/namespaces/n/documents/upsert', { documents });
    await control('POST', '/indexes/texts/branches', { source: 'n', name: 'rewritten' });
    const upserted = { documents: [{ _id: 'd2', text: 'a lazy fox' }] };
    await ask(host, 'POST', '/namespaces/rewritten/documents/upsert', upserted);
    const search = async (at: string, namespace: string) => {
      const score = { score_by: [{ type: 'text', field: 'text', query: 'fox' }], top_k: 3 };
      const { matches } = await ask(at, 'POST', `/namespaces/${namespace}/documents/search`, score);
      return (matches as readonly Json[]).map(({ _id }) => _id).sort();
    };
    assert.deepEqual(await search(host, 'n'), ['d1']);
    assert.deepEqual(await search(host, 'rewritten'), ['d1', 'd2']);
    const backup = await control('POST', '/indexes/texts/backups', { name: 'b' });
    const id = String(backup.backup_id);
    await until(
      async () => (await control('GET', `/backups/${id}`)).status === 'Ready',
      'the backup is ready',
    );
    await control('POST', `/backups/${id}/create-index`, { name: 'restored' });
    await until(
      async () => ((await control('GET', '/indexes/restored')).status as Json).ready === true,
      'the index is restored',
    );
    assert.deepEqual(await search(await hostOf('restored'), 'rewritten'), ['d1', 'd2']);
    assert.deepEqual(await search(host, 'rewritten'), ['d1', 'd2']);
  });

  it('are whole after kills, and merges go on', async () => {
    let host = await create({ name: 'killed', dimension: 2, metric: 'dotproduct', spec: SPEC });
    const firstValue = async (namespace: string, id: string) => {
      const { vectors } = await ask(host, 'GET', `/vectors/fetch?ids=${id}&namespace=${namespace}`);
      return (vectors as Readonly<Record<string, { values: number[] }>>)[id]?.values[0];
    };
    await upsertAll(host, 'a', 1);
    await control('POST', '/indexes/killed/branches', { source: 'a', name: 'b' });
    await service.kill();
    await service.restart();
    host = await hostOf('killed');
    assert.equal(await firstValue('b', 'r7'), 1);
    await upsertAll(host, 'b', 2);
    await ask(host, 'POST', '/vectors/upsert', { namespace: 'a', vectors: [{ id: 'late', values: [3, 7] }] });
    const path = '/indexes/killed/branches/b';
    await control('POST', `${path}/merge`, {});
    for (let kills = 0; kills < 2; kills++) {
      await service.kill();
      await service.restart();
      host = await hostOf('killed');
    }
    await merged(path);
    for (const id of ['r0', 'r6', `r${RECORDS - 1}`]) assert.equal(await firstValue('a', id), 2, id);
    assert.equal(await firstValue('a', 'late'), 3);
    assert.equal(await firstValue('b', 'late'), undefined);
    const { check_id: checkId } = await control('POST', '/indexes/killed/check');
    assert.ok(checkId === undefined || typeof checkId === 'string');
    await until(async () => {
      const check = await control('GET', '/indexes/killed/check');
      assert.notEqual(check.state, 'Failed', JSON.stringify(check));
      return check.state === 'Completed';
    }, 'the check ends');
  });

  it('are refused where they cannot be, with a reason', async () => {
    const refused = async (body: Json, status: number, reason: RegExp) => {
      const answer = await service.call('POST', '/indexes/films/branches', { body });
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, reason);
    };
    await refused({ source: 'none', name: 'x' }, 404, /not found/);
    await refused({ source: 'drama', name: 'drama' }, 409, /already exists/);
    await refused({ source: 'drama', name: 'x', as_of_lsn: 1_000_000 }, 400, /the last write of the index/);
    await refused({ source: 'drama', name: 'x', as_of_time: '2020-01-01T00:00:00Z' }, 400, /begins there/);
    const missing = await service.call('GET', '/indexes/films/branches/drama/differences');
    assert.equal(missing.status, 404);
  });
});
