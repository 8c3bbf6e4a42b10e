// Point-in-time recovery by the real program: the machine is lost, and another one brings everything back from the blob
// store, as of any moment.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { IDENTITY_FILE } from '../src/blobs/folder/folder-identity.ts';
import { ask, type Json } from './support/document-index.ts';
import { effort } from './support/effort.ts';
import { type CliResult, runCli, startCli } from './support/run-cli.ts';
import { API_KEY, newService, type Service } from './support/service.ts';
import { until } from './support/until.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const MANAGED = { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' };
const DIMENSION = 8;

function vector(seed: number): number[] {
  return Array.from({ length: DIMENSION }, (_, i) => Math.fround(Math.sin(seed * 31 + i)));
}

function records(first: number, count: number, part: number) {
  return Array.from({ length: count }, (_, i) => ({
    id: `r${first + i}`,
    values: vector(first + i + part),
    metadata: { part },
  }));
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('recovery of a lost installation', () => {
  let folder: string;
  let lost: Service;
  let other: Service;
  let marks = 0;
  const env = () => ({
    PINYON_RECOVERY: 'true',
    PINYON_RECOVERY_SECONDS: '1',
    PINYON_BLOBS: join(folder, 'blobs'),
  });
  const client = (service: Service) => new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
  const recover = (
    words: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<CliResult> =>
    runCli(['recover', ...words], { ...env(), PINYON_DATA_DIR: other.dataDir, ...more });

  const root = () => join(folder, 'blobs', 'recovery');
  /** The oldest first. */
  const timelines = () =>
    existsSync(root())
      ? readdirSync(root())
          .filter((name) => name !== 'timelines')
          .sort()
      : [];
  const objects = () => {
    const logs = join(root(), timelines().at(-1) ?? '', 'log');
    return existsSync(logs)
      ? readdirSync(logs)
          .sort()
          .map((name) => join(logs, name))
      : [];
  };
  /** When the newest object says that everything was shipped, in milliseconds since 1970. */
  const shippedAt = () => {
    const last = objects().at(-1);
    if (last === undefined) return 0;
    const bytes = readFileSync(last);
    const header = JSON.parse(bytes.toString('utf8', 12, 12 + bytes.readUInt32LE(4)));
    return (header as { readonly at: number }).at;
  };
  /** Waits until everything written before is shipped: a write that changes nothing else has followed it. */
  const shipped = async (service: Service) => {
    await service.call('POST', '/indexes', { body: { name: `m${marks++}`, dimension: 2, spec: SPEC } });
    const at = Date.now();
    await until(() => shippedAt() > at, 'the writes are shipped');
  };
  const stateOf = async (service: Service, name: string) => {
    const host = String((await ask(service.url, 'GET', `/indexes/${name}`)).host);
    const stats = await ask(host, 'GET', '/describe_index_stats');
    const ids = Array.from({ length: 40 }, (_, i) => `ids=r${i}`).join('&');
    const namespaces = Object.keys(stats.namespaces as Json).sort();
    const fetched = [];
    for (const each of namespaces)
      fetched.push((await ask(host, 'GET', `/vectors/fetch?namespace=${each}&${ids}`)).vectors);
    return { namespaces: stats.namespaces, fetched };
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pinyon-recovery-'));
    lost = await newService();
    other = await newService();
    await lost.start({ env: env() });
  });
  after(async () => {
    await lost.dispose();
    await other.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const moments: { readonly time: string; readonly state: Awaited<ReturnType<typeof stateOf>> }[] = [];
  const note = async () => {
    const state = await stateOf(lost, 'books');
    moments.push({ time: new Date().toISOString(), state });
    await pause(20);
  };

  it('brings back the last moment that was shipped, with keys, aliases and every index', async () => {
    const pinecone = client(lost);
    await pinecone.createIndex({
      name: 'books',
      dimension: DIMENSION,
      metric: 'cosine',
      spec: SPEC,
      waitUntilReady: true,
    });
    await pinecone.createIndex({
      name: 'empty',
      dimension: 2,
      metric: 'cosine',
      spec: SPEC,
      waitUntilReady: true,
    });
    const sparse = await lost.createIndex({ name: 'sparse', metric: 'dotproduct', vector_type: 'sparse' });
    const schema = { fields: { text: { type: 'string', full_text_search: {} } } };
    const texts = await ask(lost.url, 'POST', '/indexes', { name: 'texts', schema, deployment: MANAGED });
    // The catalog as of the moments has the index.
    await shipped(lost);
    const index = pinecone.index({ name: 'books' });
    for (let part = 0; part < 3; part++) {
      await index.upsert({ records: records(5 * part, 20, part) });
      await note();
    }
    await index.update({ id: 'r12', metadata: { part: 99 } });
    await note();
    await index.deleteMany({ ids: ['r0', 'r1'] });
    await index.namespace('n').upsert({ records: records(0, 3, 7) });
    await note();
    await index.namespace('n').deleteAll();
    await note();
    const sparseRecord = { id: 'a', sparseValues: { indices: [1, 7], values: [0.5, 2] } };
    await ask(sparse, 'POST', '/vectors/upsert', { vectors: [{ ...sparseRecord, metadata: { part: 1 } }] });
    const documents = '/namespaces/n/documents';
    for (const text of ['a quick brown fox', 'a lazy fox'])
      await ask(String(texts.host), 'POST', `${documents}/upsert`, { documents: [{ _id: 'd', text }] });
    await shipped(lost);
    await lost.kill();
    rmSync(lost.dataDir, { recursive: true });
    // A fresh volume of ext4 is as good as an empty folder.
    mkdirSync(join(other.dataDir, 'lost+found'), { recursive: true });
    const done = await recover([]);
    assert.equal(done.code, 0, done.err);
    await other.start({ env: env() });
    assert.deepEqual(await stateOf(other, 'books'), moments.at(-1)?.state);
    assert.deepEqual((await stateOf(other, 'empty')).namespaces, {});
    const found = await client(other)
      .index({ name: 'books' })
      .query({ vector: vector(12), topK: 3, includeMetadata: true });
    assert.equal(found.matches.length, 3);
    const hostOf = async (name: string) => String((await ask(other.url, 'GET', `/indexes/${name}`)).host);
    const { vectors } = await ask(await hostOf('sparse'), 'GET', '/vectors/fetch?ids=a');
    assert.deepEqual((vectors as { a: Json }).a.sparseValues, sparseRecord.sparseValues);
    const matches = async (query: string) => {
      const search = { score_by: [{ type: 'text', field: 'text', query }], top_k: 3 };
      const answer = await ask(await hostOf('texts'), 'POST', `${documents}/search`, search);
      return (answer.matches as readonly Json[]).length;
    };
    assert.deepEqual([await matches('lazy'), await matches('quick')], [1, 0]);
    const refused = await recover([]);
    assert.match(refused.err, /is not empty/);
  });

  it('brings back each moment, exactly as it was, and is refused for one that was never shipped', async () => {
    const timeline = timelines()[0] ?? '';
    for (const [i, { time, state }] of moments.entries()) {
      if (i % effort({ daily: 3, long: 1 }) !== 0) continue;
      await other.kill();
      rmSync(other.dataDir, { recursive: true });
      const done = await recover(['--to', time, '--timeline', timeline]);
      assert.equal(done.code, 0, done.err);
      const former = timelines().length;
      await other.start({ env: env() });
      assert.deepEqual(await stateOf(other, 'books'), state, `moment ${i}`);
      await until(() => timelines().length > former, 'a timeline of the recovered server');
    }
    await other.kill();
    rmSync(other.dataDir, { recursive: true });
    // As if it had been killed before it had shipped copies of its indexes.
    rmSync(join(root(), timelines().at(-1) ?? '', 'bases'), { recursive: true, force: true });
    const unready = await recover([]);
    assert.match(unready.err, /The timeline before reaches from .* --timeline /);
    const late = await recover(['--to', '2999-01-01T00:00:00Z', '--timeline', timeline]);
    assert.equal(late.code, 1);
    assert.match(late.err, /The last moment that was shipped is/);
    const early = await recover(['--to', '2001-01-01T00:00:00Z', '--timeline', timeline]);
    assert.match(early.err, /The first moment that can be recovered is/);
    assert.match((await recover(['--to', 'yesterday'])).err, /--to expects a time/);
  });

  it('recovers from a copy of the log that an earlier release has written and nobody can write to', async () => {
    const blobs = join(folder, 'blobs');
    rmSync(join(blobs, IDENTITY_FILE));
    const readOnly = {
      READ_ONLY_FOLDER: blobs,
      NODE_OPTIONS: `--import ${import.meta.resolve('./support/read-only-folder.ts')}`,
    };
    const timeline = timelines()[0] ?? '';
    const listed = await recover(['--dry-run', '--json'], readOnly);
    assert.equal(listed.code, 0, listed.err);
    assert.ok(listed.out.includes(timeline));
    const done = await recover(['--timeline', timeline], readOnly);
    assert.equal(done.code, 0, done.err);
    assert.equal(existsSync(join(blobs, IDENTITY_FILE)), false);
    rmSync(other.dataDir, { recursive: true });
  });

  /** Recovers without what has lost its copies, as the refusal says; then the copies are there again. */
  async function leaveOut(name: string): Promise<void> {
    const bases = join(root(), timelines().at(-1) ?? '', 'bases');
    renameSync(bases, `${bases}-away`);
    const refused = await recover([]);
    const options = refused.err.match(/--without [\w-]+/g) ?? [];
    assert.ok(
      options.some((option) => option === `--without ${name}`),
      refused.err,
    );
    const done = await recover(options.flatMap((option) => option.split(' ')));
    assert.equal(done.code, 0, done.err);
    // Without a timeline of its own.
    await other.start({ env: { ...env(), PINYON_RECOVERY: 'false' } });
    const { status } = await ask(other.url, 'GET', `/indexes/${name}`);
    assert.deepEqual(status, { ready: false, state: 'InitializationFailed' });
    assert.equal((await other.call('DELETE', `/indexes/${name}`)).status, 202);
    await other.stop();
    rmSync(other.dataDir, { recursive: true });
    renameSync(`${bases}-away`, bases);
  }

  it('goes on after kills in the middle of a recovery, and names an object that is missing', async () => {
    const done = await recover(['--timeline', timelines()[0] ?? '']);
    assert.equal(done.code, 0, done.err);
    const copies = () => {
      const folder = join(root(), timelines().at(-1) ?? '', 'bases');
      return existsSync(folder)
        ? readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('manifest.json'))
        : [];
    };
    /** A recovered server begins a timeline: copies of the one before do not count. */
    const startCopied = async () => {
      const former = timelines().length;
      await other.start({ env: env() });
      await until(() => timelines().length > former && copies().length >= 4 + marks, 'copies of all indexes');
    };
    await startCopied();
    const index = client(other).index({ name: 'books' });
    for (let i = 0; i < 10; i++) await index.upsert({ records: records(100 * i, 100, i) });
    const state = await stateOf(other, 'books');
    await other.stop();
    rmSync(other.dataDir, { recursive: true });
    await leaveOut('books');
    for (const ms of [500, 900, 1_300]) {
      const { child, ended } = startCli(['recover'], { ...env(), PINYON_DATA_DIR: other.dataDir });
      await pause(ms);
      child.kill('SIGKILL');
      await ended;
    }
    const task = join(other.dataDir, 'recovering');
    if (existsSync(task)) {
      const refused = other.run({ env: env() });
      assert.equal((await refused.ended()).code, 1);
      assert.match(refused.log, /has not ended\. Run `pinyon recover` again/);
    }
    if (existsSync(task) || !existsSync(join(other.dataDir, 'catalog.sqlite'))) {
      const again = await recover([]);
      assert.equal(again.code, 0, again.err);
    }
    // A kill may come when the catalog is in place, but what the recovery kept is not removed.
    mkdirSync(task);
    const over = await recover([]);
    assert.match(over.err, /has ended\. Start the server/);
    const whole = {
      timeline: timelines().at(-1),
      to: null,
      told: Date.now(),
      last: 1_000,
      bases: [],
      storages: [],
      without: [],
    };
    writeFileSync(join(task, 'task.json'), JSON.stringify(whole));
    const same = await recover([]);
    assert.equal(same.code, 0, same.err);
    assert.equal(existsSync(task), false);
    mkdirSync(task);
    await startCopied();
    assert.equal(existsSync(task), false);
    assert.deepEqual(await stateOf(other, 'books'), state);
    for (let i = 0; i < 2; i++) await shipped(other);
    await other.stop();
    rmSync(other.dataDir, { recursive: true });
    const all = objects();
    const [last, before] = [all.at(-1) ?? '', all.at(-2) ?? ''];
    const bytes = readFileSync(last);
    bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1;
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(last, bytes);
    const damaged = await recover([]);
    assert.equal(damaged.code, 1);
    assert.match(
      damaged.err,
      new RegExp(`${last.slice(last.indexOf('recovery/'))} does not have its checksum`),
    );
    const offered = /The last moment before it is (\S+): give it as --to/.exec(damaged.err)?.[1];
    assert.ok(offered !== undefined, damaged.err);
    assert.ok(existsSync(before));
    // No recovery needs the file of a timeline, be it of this one or of another.
    const ids = timelines();
    for (const name of readdirSync(join(root(), 'timelines')))
      if ([ids[0], ids.at(-1)].some((id) => name.includes(id ?? '-')))
        writeFileSync(join(root(), 'timelines', name), 'damaged');
    const listed = await recover(['--dry-run']);
    assert.equal(listed.code, 0, listed.err);
    assert.equal(
      listed.out.match(/DAMAGED, and not needed: .* does not have its digest/g)?.length,
      2,
      listed.out,
    );
    const earlier = await recover(['--to', offered]);
    assert.equal(earlier.code, 0, earlier.err);
    rmSync(other.dataDir, { recursive: true });
    rmSync(last);
  });
});
