// Copies through the engine's threads are complete or fail, whatever dies, is deleted, aborted or damaged on the way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Fault, type FaultName } from '../../../domain/faults.ts';
import { inTime } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import { packRecords, unpackRecords } from '../../port/packed-records.ts';
import { CAPABILITIES } from '../storage/capabilities.ts';
import { effort } from '../testing/effort.ts';
import { EngineClient, type EngineClientOptions } from '../testing/engine-client.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { COPIES_MAX } from './index-copier.ts';
import { COPY_PROFILE } from './testing/copy-profile.ts';
import { incompressibleValues } from './testing/incompressible-values.ts';

const PROFILE = sampleProfile({ ...COPY_PROFILE, id: 'source' });
const TARGET = sampleProfile(COPY_PROFILE);
const PROCESS = fileURLToPath(new URL('./testing/importing-process.ts', import.meta.url));
/** Enough for more pieces than a copying thread sends ahead. */
const RECORDS = 6_000;
const BATCH = 2_000;

async function start(count: number, options: EngineClientOptions = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinyon-copies-'));
  const client = new EngineClient(dataDir, { readerThreads: 1, ...options });
  const { engine } = client;
  await engine.createIndex(PROFILE);
  const records = new RandomRecords({ dimension: 4, metric: 'euclidean' }, 31);
  const write = (first: number, many: number) => {
    const { dimension } = COPY_PROFILE;
    const values = incompressibleValues(many * dimension, first + 1);
    const batch = records.records(first, many).map((record, i) => {
      return { ...record, values: values.subarray(i * dimension, (i + 1) * dimension) };
    });
    return engine.copies(PROFILE).write('', packRecords(batch, COPY_PROFILE.dimension));
  };
  for (let first = 0; first < count; first += BATCH) await write(first, Math.min(BATCH, count - first));
  return { dataDir, client, engine, write };
}

const isFault = (condition: FaultName) => (error: unknown) =>
  error instanceof Fault && error.condition === condition;
const isFailure = (reason: CopyFailed['reason']) => (error: unknown) =>
  error instanceof CopyFailed && error.reason === reason;

/** Copies: an export's pieces are good only until the next. */
function kept(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  return Array.fromAsync(bytes, (piece) => new Uint8Array(piece));
}

/** Copies: what is given to an import is moved away. */
async function* from(pieces: readonly Uint8Array[]) {
  for (const piece of pieces) yield new Uint8Array(piece);
}

/** Sends the pieces, tells so, and never ends. */
async function* stalled(pieces: readonly Uint8Array[], sent: () => void) {
  yield* from(pieces);
  sent();
  await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
}

function drain(items: AsyncIterable<unknown>): Promise<unknown> {
  return inTime(Array.fromAsync(items), 'a copy');
}

describe('copies of an index that is open', async () => {
  const engineStarted = start(RECORDS, {
    entries: { writer: new URL('../workers/testing/crashing-writer.ts', import.meta.url) },
  });
  after(async () => {
    const { engine, dataDir } = await engineStarted;
    await engine.close();
    rmSync(dataDir, { recursive: true });
  });

  it('show one moment of an index that is being written, and contain all its records', async () => {
    const { engine, write, client, dataDir } = await engineStarted;
    const copy = await engine.copies(PROFILE).export();
    assert.equal(copy.recordCount, RECORDS);
    const pieces: Uint8Array[] = [];
    for await (const piece of copy.bytes) {
      pieces.push(new Uint8Array(piece));
      if (pieces.length % 4 === 0) await write(pieces.length, 500);
    }
    await copy.release();
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const isNear = Math.abs(bytes - copy.bytesExpected) < 0.3 * bytes;
    assert.ok(isNear, `${bytes} bytes, ${copy.bytesExpected} expected`);
    const imported = await engine.copies(TARGET).import(from(pieces));
    assert.equal(imported.seq, copy.seq);
    assert.equal((await engine.sizeOf(TARGET)).records, RECORDS);
    const reading = await engine.copies(TARGET).read();
    const ids: string[] = [];
    for await (const { records } of reading.batches) ids.push(...unpackRecords(records).map(({ id }) => id));
    assert.equal(reading.recordCount, RECORDS);
    assert.deepEqual(ids, Array.from({ length: RECORDS }, (_, i) => `r${i}`).sort());
    await assert.rejects(engine.copies(TARGET).import(from(pieces)), /exists already/);
    const stats = await client.call<{ totalVectorCount: number }>(TARGET, 'describe_index_stats', {
      body: {},
    });
    assert.equal(stats.body.totalVectorCount, RECORDS);
    assert.deepEqual(readdirSync(join(dataDir, 'imports')), []);
  });

  for (const form of ['fast', 'portable'] as const)
    it(`are ahead of their source by as many writes as asked for, in their ${form} form`, async () => {
      const { engine } = await engineStarted;
      const ahead = sampleProfile({ ...COPY_PROFILE, id: `ahead-${form}` });
      const copy = await engine.copies(PROFILE).export({ form });
      const pieces = await kept(copy.bytes);
      await copy.release();
      const copied = await engine.copies(ahead).import(from(pieces), { lsnAhead: 2 ** 30 });
      assert.equal(copied.seq, copy.seq + 2 ** 30);
      const { dimension } = COPY_PROFILE;
      const record = {
        id: 'later',
        values: incompressibleValues(dimension, 9),
        sparse: null,
        metadataJson: null,
      };
      assert.equal(await engine.writer(ahead).upsert('', [record]), copied.seq + 1);
      const found = await engine.reader(ahead).fetch('', ['later', 'r1']);
      assert.deepEqual(
        found.map(({ id }) => id),
        ['later', 'r1'],
      );
      await engine.dropIndex(ahead.id);
    });

  it('are rejected when they are damaged or their sender aborts, and leave nothing', async () => {
    const { engine, dataDir, client } = await engineStarted;
    const pieces = await kept((await engine.copies(PROFILE).export()).bytes);
    const target = sampleProfile({ ...COPY_PROFILE, id: 'refused' });
    const assertNothing = () => {
      assert.deepEqual(readdirSync(join(dataDir, 'imports')), []);
      assert.ok(!existsSync(join(dataDir, 'indexes', target.id)));
    };
    const cut = pieces.slice(0, -1);
    await assert.rejects(engine.copies(target).import(from(cut)), isFailure('damaged'));
    assertNothing();
    const failing = async function* () {
      yield* from(cut);
      throw new Error('the line is dead');
    };
    await assert.rejects(engine.copies(target).import(failing()), /the line is dead/);
    assertNothing();
    const giveUp = new AbortController();
    const stalling = stalled(cut, () => giveUp.abort(new Error('cancelled')));
    await inTime(
      assert.rejects(engine.copies(target).import(stalling, { signal: giveUp.signal }), /cancelled/),
      'a cancelled import',
    );
    assertNothing();
    const other = { ...target, dimension: COPY_PROFILE.dimension - 1 };
    await assert.rejects(engine.copies(other).import(from(pieces)), isFailure('mismatch'));
    assertNothing();
    assert.deepEqual(client.problems, []);
  });

  it('writes batches atomically and within limits, and shows them at once', async () => {
    const { engine, client, write } = await engineStarted;
    assert.ok((await write(RECORDS, 5)) > 0);
    const page = await client.call<{ vectors: readonly { id: string }[] }>(PROFILE, 'list_vectors', {
      query: { prefix: `r${RECORDS}` },
    });
    assert.deepEqual(
      page.body.vectors.map(({ id }) => id),
      [`r${RECORDS}`],
    );
    const before = (await engine.sizeOf(PROFILE)).records;
    const tooMany = { count: CAPABILITIES.writeRecordsMax + 1, values: null, bodies: new Uint8Array() };
    await assert.rejects(engine.copies(PROFILE).write('', tooMany), RangeError);
    const wrong = packRecords(new RandomRecords({ dimension: 4, metric: 'euclidean' }, 3).records(0, 3), 4);
    await assert.rejects(engine.copies(PROFILE).write('', wrong), RangeError);
    assert.equal((await engine.sizeOf(PROFILE)).records, before);
  });

  it('end when their index is deleted, when their caller gives up, and when its writer dies', async () => {
    // Made by the first test.
    const { engine, client } = await engineStarted;
    const giveUp = new AbortController();
    const [given, interrupted, deleted, left] = await Promise.all([
      engine.copies(TARGET).export({ signal: giveUp.signal }),
      engine.copies(TARGET).export(),
      engine.copies(TARGET).export(),
      engine.copies(TARGET).read(),
    ]);
    assert.equal(COPIES_MAX, 4);
    await assert.rejects(engine.copies(TARGET).export(), isFault('overloaded'));
    giveUp.abort(new Error('cancelled'));
    await assert.rejects(drain(given.bytes), /cancelled/);
    const vectors = [{ id: 'x', values: Array.from({ length: COPY_PROFILE.dimension }, () => 1) }];
    const upsert = (params: Record<string, string>) =>
      client.call(TARGET, 'upsert_vectors', { body: { vectors }, params });
    await left.release();
    await assert.rejects(upsert({ die: 'exit exit' }), isFault('interrupted'));
    await assert.rejects(drain(interrupted.bytes), isFailure('interrupted'));
    await assert.rejects(drain(deleted.bytes), isFailure('interrupted'));
    const again = await engine.copies(TARGET).export();
    await engine.dropIndex(TARGET.id);
    await assert.rejects(drain(again.bytes), isFault('index-not-found'));
    await assert.rejects(engine.copies(TARGET).export(), isFault('index-not-found'));
    await Promise.all([given, interrupted, deleted, again].map((copy) => copy.release()));
  });

  it('are rejected for an index that does not exist, which creates nothing', async () => {
    const { engine, dataDir } = await engineStarted;
    const absent = { ...TARGET, id: '5e1f0000-0000-4000-8000-0000000000ab' };
    await assert.rejects(engine.copies(absent).export(), isFault('index-not-found'));
    assert.deepEqual(await engine.sizeOf(absent), { records: 0, bytes: 0 });
    assert.ok(!existsSync(join(dataDir, 'indexes', absent.id)));
  });

  it('restore an index that was dropped, and it answers', async () => {
    const { engine, client } = await engineStarted;
    const pieces = await kept((await engine.copies(PROFILE).export()).bytes);
    const target = sampleProfile({ ...COPY_PROFILE, id: 'anew' });
    for (let times = 0; times < 2; times++) {
      const { recordCount } = await engine.copies(target).import(from(pieces));
      const { body } = await client.call<{ totalVectorCount: number }>(target, 'describe_index_stats', {
        body: {},
      });
      assert.equal(body.totalVectorCount, recordCount);
      await engine.dropIndex(target.id);
    }
  });

  it('are rejected when their checksum is not the expected one, although they are undamaged', async () => {
    const { engine, dataDir } = await engineStarted;
    const [one, other] = [await engine.copies(PROFILE).export(), await engine.copies(PROFILE).export()];
    const pieces = await kept(one.bytes);
    await kept(other.bytes);
    const target = sampleProfile({ ...COPY_PROFILE, id: 'another' });
    const sha256 = await other.sha256;
    await assert.rejects(engine.copies(target).import(from(pieces), { sha256 }), isFailure('damaged'));
    assert.ok(!existsSync(join(dataDir, 'indexes', target.id)));
    await engine.copies(target).import(from(pieces), { sha256: await one.sha256 });
    await engine.dropIndex(target.id);
  });

  it('end when the index being created is deleted, and when the engine closes', async () => {
    const { engine, dataDir } = await engineStarted;
    const pieces = await kept((await engine.copies(PROFILE).export()).bytes);
    const target = sampleProfile({ ...COPY_PROFILE, id: 'deleted' });
    const reached = Promise.withResolvers<void>();
    const stalling = stalled(pieces.slice(0, -1), reached.resolve);
    const making = assert.rejects(engine.copies(target).import(stalling), /aborted/);
    await reached.promise;
    await engine.dropIndex(target.id);
    await making;
    assert.ok(!existsSync(join(dataDir, 'indexes', target.id)));
    const open = await engine.copies(PROFILE).export();
    await inTime(engine.close(), 'closing');
    await assert.rejects(drain(open.bytes), /aborted/);
  });
});

it('keeps nothing at the next start of an import during which the process was killed', async (test) => {
  const { engine, dataDir } = await start(2_000);
  test.after(() => rmSync(dataDir, { recursive: true }));
  const pieces = await kept((await engine.copies(PROFILE).export()).bytes);
  const copy = Buffer.concat(pieces);
  const path = join(dataDir, 'copy');
  writeFileSync(path, copy);
  await engine.close();
  const deletions = [
    [0.5, false],
    [2, true],
  ] as const;
  for (const [share, isMade] of deletions.slice(0, effort({ daily: 1, long: deletions.length }))) {
    const folder = tempFolder(test);
    const args = [PROCESS, folder, path, String(Math.floor(share * copy.length))];
    const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
    assert.equal(signal, 'SIGKILL');
    assert.equal(existsSync(join(folder, 'imports', TARGET.id)), !isMade);
    assert.equal(existsSync(join(folder, 'indexes', TARGET.id)), isMade);
    const next = new EngineClient(folder, { readerThreads: 1 });
    assert.ok(!existsSync(join(folder, 'imports')));
    if (isMade) assert.equal((await next.engine.sizeOf(TARGET)).records, 2_000);
    await next.engine.close();
  }
});
