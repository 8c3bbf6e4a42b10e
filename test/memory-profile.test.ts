// The memory profile of an index over the wire: chosen while it answers, kept over restarts, and told to whoever asks.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MemoryProfile } from '../src/domain/memory-profile.ts';
import { systemCalls } from '../src/platform/native/system-calls.ts';
import { until } from '../src/platform/testing/until.ts';
import { call } from './support/call.ts';
import { ask, type Json } from './support/document-index.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const BEARER = { authorization: `Bearer ${API_KEY}` };
const DIMENSION = 128;
const RECORDS = 1_000;
const hasFiles = systemCalls() !== null;

/** A vector of which the record's number is the largest component, but for wrapping around. */
function vectorOf(record: number): number[] {
  return Array.from({ length: DIMENSION }, (_, at) => Math.sin(1 + record * (at + 1)));
}

describe('an index with a memory profile', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService();
    host = await service.createIndex({ name: 'films', dimension: DIMENSION, metric: 'cosine' });
    for (let first = 0; first < RECORDS; first += 250) {
      const vectors = Array.from({ length: 250 }, (_, at) => ({
        id: `r${first + at}`,
        values: vectorOf(first + at),
      }));
      await ask(host, 'POST', '/vectors/upsert', { vectors });
    }
  });
  after(() => service.dispose());

  const control = (method: string, path: string, body?: unknown) =>
    ask(service.url, method, path, body) as Promise<Json>;
  const nearestTo = async (record: number) => {
    const { matches } = (await ask(host, 'POST', '/query', { vector: vectorOf(record), topK: 1 })) as {
      readonly matches: readonly { readonly id: string }[];
    };
    return matches[0]?.id;
  };
  /** Searches first: an index that has moved is loaded again by its next search. */
  const isOnDisk = async () => {
    await nearestTo(0);
    const { bytes } = await control('GET', '/indexes/films/memory');
    return bytes !== null && (bytes as Json).disk !== 0;
  };

  it('moves to disk and back while it answers, tells so, and stays where it was after a restart', async () => {
    assert.equal(await nearestTo(7), 'r7');
    if (!hasFiles) return assertRefused();
    const before = await control('GET', '/indexes/films/memory');
    assert.deepEqual([before.profile, before.in_force, (before.bytes as Json).disk], [null, 'memory', 0]);
    const set = await control('PUT', '/indexes/films/memory', { profile: 'disk' });
    assert.deepEqual([set.profile, set.in_force], ['disk', 'disk']);
    assert.equal(await nearestTo(8), 'r8');
    await until(isOnDisk, 'the codes on disk');
    await until(async () => {
      await nearestTo(0);
      const { text } = await call(service.url, 'GET', '/metrics', { headers: BEARER });
      return /pinyon_codes_on_disk_bytes\{[^}]*films[^}]*\} [1-9]/.test(text);
    }, 'the codes on disk among the metrics');
    await service.restart();
    assert.deepEqual((await control('GET', '/indexes/films/memory')).profile, 'disk');
    assert.equal(await nearestTo(9), 'r9');
    await until(isOnDisk, 'the codes on disk after a restart');
    const deleted = await call(service.url, 'DELETE', '/indexes/films/memory', { key: API_KEY });
    assert.equal(deleted.status, 202);
    assert.equal(await nearestTo(10), 'r10');
    await until(async () => !(await isOnDisk()), 'the codes in memory');
    assert.equal((await control('GET', '/indexes/films/memory')).in_force, 'memory');
  });

  /** Where the system cannot keep codes on disk. */
  const assertRefused = async () => {
    const body = { profile: 'disk' };
    const answer = await call(service.url, 'PUT', '/indexes/films/memory', { key: API_KEY, body });
    assert.equal(answer.status, 400);
    assert.equal((await control('GET', '/indexes/films/memory')).in_force, 'memory');
  };

  it('has all its records, and the profile that was acknowledged, when the server is killed while it moves', async () => {
    if (!hasFiles) return assertRefused();
    const moves: readonly (readonly [MemoryProfile, () => Promise<void>])[] = [
      ['disk', () => Promise.resolve()],
      ['memory', () => until(async () => !(await isOnDisk()), 'the codes in memory')],
      ['disk', () => until(isOnDisk, 'the codes on disk')],
    ];
    for (const [profile, momentOfKill] of moves) {
      await nearestTo(11);
      await control('PUT', '/indexes/films/memory', { profile });
      await momentOfKill();
      await service.kill();
      await service.start();
      assert.equal((await control('GET', '/indexes/films/memory')).profile, profile);
      for (let record = 0; record < RECORDS; record += 90)
        assert.equal(await nearestTo(record), `r${record}`);
      const { totalRecordCount, totalVectorCount = totalRecordCount } = (await ask(
        host,
        'POST',
        '/describe_index_stats',
        {},
      )) as Json;
      assert.equal(totalVectorCount, RECORDS);
    }
  });

  it('is refused where it would save nothing, and for what is no profile', async () => {
    await control('POST', '/indexes', {
      name: 'words',
      vector_type: 'sparse',
      metric: 'dotproduct',
      spec: SPEC,
    });
    await service.createIndex({ name: 'short', dimension: DIMENSION - 1, metric: 'cosine' });
    for (const [name, body, status] of [
      ['words', { profile: 'disk' }, 400],
      ['short', { profile: 'disk' }, 400],
      ['films', { profile: 'tape' }, 400],
      ['films', { profile: 1 }, 422],
      ['films', {}, 422],
      ['nothing', { profile: 'disk' }, 404],
    ] as const) {
      const answer = await call(service.url, 'PUT', `/indexes/${name}/memory`, { key: API_KEY, body });
      assert.equal(answer.status, status, `${name} ${JSON.stringify(body)}: ${answer.text}`);
    }
    const short = await control('PUT', '/indexes/short/memory', { profile: 'memory' });
    assert.equal(short.in_force, 'memory');
  });

  it('is chosen and shown on the command line', async () => {
    const env = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY };
    const run = async (...words: readonly string[]) => (await runCli(words, env)).out;
    const to = hasFiles ? 'disk' : 'memory';
    assert.match(await run('memory', 'set', 'films', '--to', to), new RegExp(`is ${to}, by its own setting`));
    assert.match(await run('memory', 'describe', 'films'), /MiB of memory|Nothing of it/);
    assert.match(await run('memory', 'end', 'films'), /server's default/);
  });
});

describe('a server whose default is disk', () => {
  it('keeps new indexes there but those of few dimensions', async (test) => {
    const service = await startService({ env: { PINYON_MEMORY_PROFILE: 'disk' } });
    test.after(() => service.dispose());
    for (const [name, dimension, expected] of [
      ['long', DIMENSION, hasFiles ? 'disk' : 'memory'],
      ['short', 2, 'memory'],
    ] as const) {
      await service.createIndex({ name, dimension, metric: 'cosine' });
      const { profile, in_force: inForce } = (await ask(
        service.url,
        'GET',
        `/indexes/${name}/memory`,
      )) as Json;
      assert.deepEqual([profile, inForce], [null, expected]);
    }
  });
});
