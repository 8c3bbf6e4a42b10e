// Orderly restarts: SIGTERM ends with 0 after the running requests, and everything is there afterwards.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rpc } from './support/bodies.ts';
import { call } from './support/call.ts';
import { Connection } from './support/connection.ts';
import { derivedFiles } from './support/derived-files.ts';
import { DocumentIndex } from './support/document-index.ts';
import type { ModelRecord } from './support/model.ts';
import { Random } from './support/random.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found } from './support/until.ts';

const DIMENSION = 16;
/** Enough that they are worth a file. */
const TEXTS = 4_000;
const TEXTS_AT_A_TIME = 1_000;

describe('a server that is stopped by SIGTERM', () => {
  const random = new Random(4);
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  function batch(count: number, first = 0): readonly ModelRecord[] {
    return Array.from({ length: count }, (_, i) => ({
      id: `record-${first + i}`,
      values: random.vector(DIMENSION),
      metadata: { number: first + i },
    }));
  }

  it('exits with 0 and keeps indexes, their addresses, namespaces, records and settings', async () => {
    const hosts = new Map<string, string>();
    for (const name of ['one', 'two', 'three']) {
      hosts.set(
        name,
        await service.createIndex({ name, dimension: DIMENSION, metric: 'cosine', tags: { name } }),
      );
    }
    const change = { deletion_protection: 'enabled', tags: { extra: 'yes' } };
    assert.equal((await service.call('PATCH', '/indexes/two', { body: change })).status, 200);
    assert.equal((await service.call('DELETE', '/indexes/three')).status, 202);
    const host = hosts.get('one') ?? '';
    const before = new Connection(host);
    const records = batch(700);
    await before.upsert('large', records);
    await before.upsert('', records.slice(0, 5));
    await before.post('/namespaces', { name: 'empty', schema: { fields: { number: { filterable: true } } } });
    const query = { namespace: 'large', vector: random.vector(DIMENSION), topK: 50, includeMetadata: true };
    const state = async (connection: Connection) => ({
      indexes: (await service.call('GET', '/indexes')).body,
      namespaces: (await connection.call('GET', '/namespaces')).body,
      matches: await connection.query(query),
    });
    const expected = await state(before);
    before.close();

    assert.deepEqual(await service.restart(), { code: 0, signal: null });

    const after = new Connection(host);
    assert.deepEqual(await state(after), expected);
    assert.deepEqual(await after.fetch('large', ['record-699']), new Map([['record-699', records[699]]]));
    after.close();
  });

  it('forgets namespaces that were emptied, and keeps those made by name', async () => {
    const host = await service.createIndex({ name: 'spaces', dimension: DIMENSION, metric: 'cosine' });
    const before = new Connection(host);
    const records = batch(3);
    const ids = records.map(({ id }) => id);
    await before.post('/namespaces', { name: 'made' });
    for (const namespace of ['made', 'by-id', 'by-filter', 'later']) await before.upsert(namespace, records);
    await before.post('/vectors/delete', { namespace: 'by-id', ids });
    await before.post('/vectors/delete', { namespace: 'by-filter', filter: { number: { $gte: 0 } } });
    const namespaces = async (connection: Connection) => {
      const { body: stats } = await connection.call('POST', '/describe_index_stats', {});
      const { body: list } = await connection.call('GET', '/namespaces');
      return [Object.keys((stats as { namespaces: object }).namespaces), names(list)];
    };
    assert.deepEqual(await namespaces(before), [
      ['later', 'made'],
      ['later', 'made'],
    ]);
    before.close();

    await service.restart();

    const after = new Connection(host);
    for (const namespace of ['made', 'later']) await after.post('/vectors/delete', { namespace, ids });
    assert.deepEqual(await namespaces(after), [['made'], ['made']]);
    const { status, body } = await after.call('POST', '/vectors/delete', { namespace: 'later', ids });
    assert.equal(status, 404);
    assert.partialDeepStrictEqual(body, rpc(5, 'Namespace not found'));
    after.close();
  });

  it('finishes running requests, and loses nothing it has acknowledged', async () => {
    const host = await service.createIndex({ name: 'drained', dimension: DIMENSION, metric: 'cosine' });
    const answers = Array.from({ length: 8 }, async (_, i) => {
      const vectors = batch(400, i * 400);
      const { status } = await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors } });
      return { status, vectors };
    });
    await sleep(30);
    const stopped = service.stop();
    const settled = await Promise.allSettled(answers);
    assert.deepEqual(await stopped, { code: 0, signal: null });
    await service.start();
    const connection = new Connection(host);
    for (const answer of settled) {
      if (answer.status === 'rejected') continue;
      const { status, vectors } = answer.value;
      assert.ok(status === 200 || status === 503, `status ${status}`);
      const found = await connection.fetch(
        '',
        vectors.map(({ id }) => id),
      );
      assert.equal(found.size, status === 200 ? vectors.length : 0);
    }
    connection.close();
  });

  it('saves what was written to texts since their file, and finds it after the next start', async () => {
    const texts = { text: { type: 'string', full_text_search: {} } };
    const index = await DocumentIndex.create(service, 'texts', texts);
    const write = (first: number, count: number) =>
      index.upsert(
        Array.from({ length: count }, (_, i) => ({
          _id: `d${first + i}`,
          text: `common words of text${first + i}`,
        })),
      );
    const savedFiles = () => derivedFiles(service.dataDir).filter((path) => path.endsWith('.segment'));
    for (let first = 0; first < TEXTS; first += TEXTS_AT_A_TIME) await write(first, TEXTS_AT_A_TIME);
    assert.deepEqual(await index.matching('text0'), ['d0']);
    const path = await found(async () => savedFiles()[0]);
    await write(TEXTS, TEXTS / 10);
    const before = readFileSync(path);
    await service.stop();
    assert.deepEqual(savedFiles(), [path]);
    assert.ok(!readFileSync(path).equals(before));
    await service.start();
    const again = await DocumentIndex.ready(service, index.name);
    assert.deepEqual(await again.matching(`text${TEXTS}`), [`d${TEXTS}`]);
  });

  it('gives a new index no address of an existing one', async () => {
    const answer = await service.call('GET', '/indexes');
    const { indexes } = answer.body as { readonly indexes: readonly { readonly host: string }[] };
    const fresh = await service.createIndex({ name: 'fresh', dimension: 2 });
    assert.ok(!indexes.some(({ host }) => host === fresh));
  });
});

function names(list: unknown): readonly string[] {
  return (list as { namespaces: readonly { readonly name: string }[] }).namespaces.map(({ name }) => name);
}
