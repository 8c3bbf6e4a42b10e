// One index taken back to a moment by the real program, as a new index: over HTTP and from the command line, also when it
// was deleted, and through kills in the middle.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from './support/call.ts';
import { ask, DocumentIndex, type Json } from './support/document-index.ts';
import { effort } from './support/effort.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, newService, type Service } from './support/service.ts';
import { found, until } from './support/until.ts';

const DIMENSION = 8;
const TEXT = { text: { type: 'string', full_text_search: {} } };

function batch(first: number, count: number, part: number) {
  const values = (i: number) =>
    Array.from({ length: DIMENSION }, (_, d) => Math.fround(Math.sin(i * 31 + d + part)));
  return Array.from({ length: count }, (_, i) => ({
    id: `r${first + i}`,
    values: values(i),
    metadata: { part },
  }));
}

describe('an index that is recovered to a moment', () => {
  let folder: string;
  let service: Service;
  let books = '';
  const env = () => ({
    PINYON_RECOVERY: 'true',
    PINYON_RECOVERY_SECONDS: '1',
    PINYON_BLOBS: join(folder, 'blobs'),
  });
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pinyon-index-recovery-'));
    service = await newService();
    await service.start({ env: env() });
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const own = (method: string, path: string, body?: unknown) => ask(service.url, method, path, body);
  const spansOf = async (source: string) => {
    const { spans } = await own('GET', `/indexes/${source}/recoveries`);
    return spans as readonly { readonly from_time: string; readonly to_time: string }[];
  };
  /** Waits until a moment can be recovered. */
  let last: unknown;
  const shipped = async (source: string, time: string) =>
    until(async () => {
      const spans = await spansOf(source);
      last = spans;
      return spans.some(({ from_time: from, to_time: to }) => from <= time && time <= to);
    }, `${source} at ${time}`).catch((error: unknown) => assert.fail(`${error} ${JSON.stringify(last)}`));
  /** A moment with nothing else in its millisecond. */
  const moment = async () => {
    await pause(5);
    const time = new Date().toISOString();
    await pause(5);
    return time;
  };
  const recovered = async (source: string, time: string, name: string) => {
    const { recovery_id: id } = await own('POST', `/indexes/${source}/recoveries`, { name, time });
    const job = await found(async () => {
      const shown = await own('GET', `/recoveries/${id}`);
      return shown.status === 'Pending' ? undefined : shown;
    }, 'the recovery');
    assert.deepEqual([job.status, job.error, job.percent_complete], ['Completed', undefined, 100]);
    return String((await own('GET', `/indexes/${name}`)).host);
  };
  const stateOf = async (host: string) => {
    const { namespaces } = await ask(host, 'GET', '/describe_index_stats');
    const ids = Array.from({ length: 50 }, (_, i) => `ids=r${i}`).join('&');
    const fetched = [];
    for (const each of Object.keys(namespaces as Json).sort())
      fetched.push((await ask(host, 'GET', `/vectors/fetch?namespace=${each}&${ids}`)).vectors);
    return { namespaces, fetched };
  };
  const upsert = (host: string, vectors: readonly object[], namespace = '') =>
    ask(host, 'POST', '/vectors/upsert', { vectors, namespace });

  it('has the records of that moment, and the other index keeps its own', async () => {
    books = await service.createIndex({
      name: 'books',
      dimension: DIMENSION,
      metric: 'cosine',
      tags: { a: '1' },
    });
    await until(async () => (await spansOf('books')).length > 0, 'the first look');
    const moments: { readonly time: string; readonly state: Awaited<ReturnType<typeof stateOf>> }[] = [];
    const note = async () => moments.push({ state: await stateOf(books), time: await moment() });
    await upsert(books, batch(0, 20, 1));
    await note();
    await upsert(books, batch(10, 30, 2), 'other');
    await ask(books, 'POST', '/vectors/update', { id: 'r3', setMetadata: { part: 7 } });
    await note();
    // Somebody deletes all, and changes a tag.
    await ask(books, 'POST', '/vectors/delete', { deleteAll: true });
    await ask(books, 'DELETE', '/namespaces/other');
    await note();
    const present = await stateOf(books);
    await shipped('books', moments.at(-1)?.time ?? '');
    await own('PATCH', '/indexes/books', { tags: { a: '2' } });
    for (const [i, { time, state }] of moments.entries()) {
      const host = await recovered('books', time, `books-${i}`);
      assert.deepEqual(await stateOf(host), state, `moment ${i}`);
    }
    assert.deepEqual((await own('GET', '/indexes/books-1')).tags, { a: '1' });
    assert.deepEqual(await stateOf(books), present);
    const { data } = (await own('GET', '/recoveries')) as { readonly data: readonly Json[] };
    assert.deepEqual(
      data.map(({ target_index_name: name, source_index_name: source, time }) => [name, source, time]),
      moments.map(({ time }, i) => [`books-${i}`, 'books', time]).reverse(),
    );
    // What was recovered is an index like any other.
    const host = String((await own('GET', '/indexes/books-1')).host);
    await upsert(host, batch(0, 5, 9));
    const { matches } = await ask(host, 'POST', '/query', { vector: batch(0, 1, 9)[0]?.values, topK: 1 });
    assert.equal((matches as readonly Json[])[0]?.id, 'r0');
  });

  it('may be one of documents, of sparse vectors or of texts, and one that was deleted', async () => {
    const texts = await DocumentIndex.create(service, 'texts', TEXT);
    const sparse = await service.createIndex({ name: 'sparse', metric: 'dotproduct', vector_type: 'sparse' });
    const embed = { model: 'llama-text-embed-v2', field_map: { text: 'body' }, dimension: 384 };
    const notes = await own('POST', '/indexes/create-for-model', {
      ...{ name: 'chunks', cloud: 'aws', region: 'us-east-1', embed },
    });
    for (const name of ['texts', 'sparse', 'chunks'])
      await until(async () => (await spansOf(name)).length > 0, `the first look at ${name}`);
    await texts.upsert([{ _id: 'd', text: 'a quick brown fox' }]);
    await upsert(sparse, [{ id: 's', sparseValues: { indices: [1, 7], values: [0.5, 2] } }]);
    const record = { _id: 'n', body: 'the kettle whistles' };
    const chunks = String(notes.host);
    await call(chunks, 'POST', '/records/namespaces/n/upsert', {
      ...{ key: API_KEY, version: '2026-07', body: `${JSON.stringify(record)}\n` },
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const time = await moment();
    await texts.upsert([{ _id: 'd', text: 'nothing' }]);
    await ask(sparse, 'POST', '/vectors/delete', { ids: ['s'] });
    await ask(chunks, 'DELETE', '/namespaces/n');
    await shipped('texts', time);
    const listed = await own('GET', '/recoverable-indexes');
    const id = String(
      (listed.indexes as readonly Json[]).find(({ index_name: name }) => name === 'sparse')?.index_id,
    );
    await own('DELETE', '/indexes/sparse');
    const spans = await found(async () => {
      const shown = await own('GET', `/indexes/${id}/recoveries`);
      return shown.last_time === undefined ? undefined : shown.spans;
    }, 'the deletion');
    assert.ok((spans as readonly { readonly to_time: string }[]).some(({ to_time: to }) => to >= time));
    // Its name is taken until its files are removed.
    await until(async () => (await service.call('GET', '/indexes/sparse')).status === 404, 'the removal');
    const again = await recovered(id, time, 'sparse');
    const { vectors } = await ask(again, 'GET', '/vectors/fetch?ids=s');
    assert.deepEqual((vectors as { s: Json }).s.sparseValues, { indices: [1, 7], values: [0.5, 2] });
    await recovered('texts', time, 'texts-before');
    assert.deepEqual(await (await DocumentIndex.ready(service, 'texts-before')).matching('text:quick'), [
      'd',
    ]);
    const before = await recovered('chunks', time, 'chunks-before');
    const search = { query: { inputs: { text: 'kettle' }, top_k: 1 }, fields: ['body'] };
    const { result } = (await ask(before, 'POST', '/records/namespaces/n/search', search)) as {
      readonly result: { readonly hits: readonly Json[] };
    };
    assert.deepEqual(result.hits[0]?.fields, { body: record.body });
  });

  it('is refused for other moments, a name that is taken and indexes that are not there', async () => {
    const [span] = await spansOf('books');
    const start = async (source: string, body: unknown) => {
      const answer = await service.call('POST', `/indexes/${source}/recoveries`, {
        version: '2026-07',
        body,
      });
      return [answer.status, answer.text] as const;
    };
    const time = span?.to_time;
    assert.equal((await start('books', { name: 'books', time }))[0], 409);
    for (const other of ['2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
      const [status, text] = await start('books', { name: 'late', time: other });
      assert.equal(status, 400);
      assert.match(text, /the moments that were shipped are from \S+Z to \S+Z/);
    }
    for (const body of [{ name: 'x' }, { name: 'x', time: 'yesterday' }, { name: 'X!', time }, { time }, {}])
      assert.equal((await start('books', body))[0] >= 400, true, JSON.stringify(body));
    assert.equal((await start('books', { name: 'x', time: 'yesterday' }))[0], 400);
    assert.equal((await start('nothing', { name: 'x', time }))[0], 404);
    assert.equal((await service.call('GET', '/recoveries/nothing', { version: '2026-07' })).status, 404);
    assert.equal((await service.call('GET', '/indexes/late', { version: '2026-07' })).status, 404);
  });

  it('comes from the command line, which also tells the moments', async () => {
    const run = (...words: readonly string[]) =>
      runCli(['recover', ...words], { PINYON_URL: service.url, PINYON_API_KEY: API_KEY });
    const spans = await run('--index', 'books', '--dry-run');
    assert.match(spans.out, /^index books \(\S+\)\n {2}from \S+Z to \S+Z/);
    const at = /to (\S+Z)/.exec(spans.out)?.[1] ?? '';
    const done = await run('--index', 'books', '--at', at, '--as', 'books-again');
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /Index books-again is what books was at /);
    const failed = await run('--index', 'books', '--at', at, '--as', 'books-again');
    assert.equal(failed.code, 1);
    for (const words of [
      ['--index', 'books'],
      ['--at', at],
      ['--index', 'books', '--to', at],
    ])
      assert.equal((await run(...words)).code, 2, words.join(' '));
  });

  it('becomes whole through kills in the middle, and is not there before', async () => {
    const big = await service.createIndex({ name: 'big', dimension: DIMENSION, metric: 'cosine' });
    await until(async () => (await spansOf('big')).length > 0, 'the first look');
    for (let i = 0; i < 40; i++) await upsert(big, batch(100 * i, 100, i));
    await ask(big, 'POST', '/vectors/delete', { ids: ['r0'] });
    const time = await moment();
    await upsert(big, batch(0, 100, 99));
    await shipped('big', time);
    const kills = effort({ daily: 3, long: 20 });
    const { recovery_id: id } = await own('POST', '/indexes/big/recoveries', { name: 'big-before', time });
    const states = [];
    for (let i = 0; i < kills; i++) {
      await pause(40 * (i + 1));
      await service.kill();
      await service.start({ env: env() });
      const statusNow = async () => (await own('GET', '/indexes/big-before')).status as Json;
      const { state, ready } = await statusNow();
      states.push(state);
      if (ready === true) break;
      const asked = await service.call('GET', '/indexes/big-before/history', { version: '2026-07' });
      assert.ok(asked.status >= 400 || (await statusNow()).ready === true);
    }
    const job = await found(async () => {
      const shown = await own('GET', `/recoveries/${id}`);
      return shown.status === 'Pending' ? undefined : shown;
    }, 'the recovery');
    assert.equal(job.status, 'Completed', `${job.error} after ${states}`);
    const { host } = await own('GET', '/indexes/big-before');
    const { totalVectorCount } = await ask(String(host), 'GET', '/describe_index_stats');
    assert.equal(totalVectorCount, 3_999);
    const { vectors } = await ask(String(host), 'GET', '/vectors/fetch?ids=r0&ids=r1&ids=r150');
    assert.deepEqual(
      Object.entries(vectors as Readonly<Record<string, Json>>).map(([key, { metadata }]) => [key, metadata]),
      [
        ['r1', { part: 0 }],
        ['r150', { part: 1 }],
      ],
    );
  });
});
