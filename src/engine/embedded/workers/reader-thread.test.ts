// Tests that a reader thread answers correctly when an index is dropped or its writer dies meanwhile.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { packDetails } from '../../../boot/engine/request-details.ts';
import { runTask } from '../../../boot/engine/run-task.ts';
import { mintProjectAccess } from '../../../domain/access.ts';
import { fromPlain, toPlain } from '../../../domain/faults/plain-error.ts';
import { Fault, fault } from '../../../domain/faults.ts';
import { inTime } from '../../../platform/testing/until.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { Arena } from '../memory/arena.ts';
import { CommitCount } from '../memory/commit-count.ts';
import { Epochs } from '../memory/epochs.ts';
import { indexFolder, openForWriting } from '../storage/index-files.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { type PackedTask, packTask } from './packed-task.ts';
import type { ReaderMessage, WriterMessage } from './protocol.ts';
import { ReaderThread, type RunReadTask } from './reader-thread.ts';

const PROFILE = sampleProfile();
const INDEX_ID = PROFILE.id;
const request = (body: readonly Uint8Array[]): PackedTask =>
  packTask(
    {
      index: PROFILE,
      queue: 'read',
      details: packDetails({
        endpointId: 'query_vectors',
        access: mintProjectAccess({ organizationId: 'o', projectId: 'p', principalId: 'p' }),
        version: null,
        params: {},
        query: {},
        requestId: 'test',
      }),
      body: [],
    },
    body,
  );
const REQUEST = request([]);

const runQuery: RunReadTask = async (_task, { reader }) => {
  const found = await reader.query(sampleQuery({ values: new Float32Array(4) }));
  return { answer: `${found.length} ${await reader.lsn()}`, isFailure: false };
};

/** A ReaderThread in this thread, with the test in the role of its writer. */
function setUp(test: TestContext, runRead = runQuery) {
  const dataDir = tempFolder(test);
  const thread = new ReaderThread(
    {
      dataDir,
      number: 0,
      counts: { reader: 1, writer: 1, builder: 0 },
      epochs: Epochs.allocate(1),
      queryLoad: new SharedArrayBuffer(8),
      dropped: [],
    },
    runRead,
  );
  /** Starts a writer that replaces the previous one. */
  const join = () => {
    const { port1, port2 } = new MessageChannel();
    test.after(() => port1.close());
    thread.join({ peer: { kind: 'writer', number: 0 }, port: port2 });
    return {
      next: () =>
        inTime(new Promise<ReaderMessage>((resolve) => port1.once('message', resolve)), 'the reader'),
      post: (message: WriterMessage) => port1.postMessage(message),
    };
  };
  const attached = (): WriterMessage => ({
    type: 'attached',
    indexId: INDEX_ID,
    attachment: {
      memories: [Arena.create().memory],
      columnSeed: 1,
      namespaces: [],
      tooLarge: [],
      commits: CommitCount.allocate(),
      structureVersion: 0,
    },
  });
  return { folder: indexFolder(dataDir, INDEX_ID), thread, join, ...join(), attached };
}

async function attach(test: TestContext) {
  const parts = setUp(test);
  const files = openForWriting(parts.folder, PROFILE.dimension);
  test.after(() => files.store.close());
  const answer = parts.thread.run(REQUEST);
  assert.equal((await parts.next()).type, 'attach');
  parts.post(parts.attached());
  await inTime(answer, 'the request');
  return parts;
}

for (const [when, makeFolder] of [
  ['is gone', () => {}],
  ['is half removed', (folder: string) => void mkdirSync(folder, { recursive: true })],
] as const) {
  it(`reports an index as not found, and does not recreate it, if its folder ${when}`, async (test) => {
    const { folder, thread, next, post, attached } = setUp(test);
    makeFolder(folder);
    const answer = thread.run(REQUEST);
    assert.equal((await next()).type, 'attach');
    post(attached());
    await assert.rejects(inTime(answer, 'the request'), { condition: 'index-not-found' });
    assert.equal(existsSync(join(folder, 'records.mdb')), false);
    const again = thread.run(REQUEST);
    assert.equal((await next()).type, 'attach', 'the next request asks anew');
    post({
      type: 'refused',
      indexId: INDEX_ID,
      error: toPlain(fault('index-not-found', { name: 'sample' })),
    });
    await assert.rejects(inTime(again, 'the second request'), { condition: 'index-not-found' });
  });
}

it('answers from an attached index, and requests it again after it was detached', async (test) => {
  const { thread, next, post } = await attach(test);
  assert.equal(await thread.run(REQUEST), '0 0');
  post({ type: 'detach', indexId: INDEX_ID });
  const request = next();
  let late = thread.run(REQUEST);
  // The reader still answers until the message arrives.
  while (await Promise.race([late.then(() => true), request.then(() => false)])) {
    await new Promise(setImmediate);
    late = thread.run(REQUEST);
  }
  assert.equal((await request).type, 'attach');
  post({ type: 'refused', indexId: INDEX_ID, error: toPlain(fault('index-not-found', { name: 'sample' })) });
  await assert.rejects(inTime(late, 'the late request'), { condition: 'index-not-found' });
});

const SENT = Buffer.from(JSON.stringify({ vector: [1, 2, 3, 4], topK: 3 }));
for (const [pieces, pieceBytes] of [
  ['one piece', SENT.length],
  ['several pieces', 10],
] as const) {
  it(`answers a call with a body in ${pieces} although the writer died under it, and frees the body`, async (test) => {
    const errors: unknown[] = [];
    const successor = Promise.withResolvers<ReturnType<typeof parts.join>>();
    let runs = 0;
    const parts = setUp(test, async (task, access) => {
      if (++runs === 1) successor.resolve(parts.join());
      return runTask(task, { ...access, report: (_, error) => errors.push(error) });
    });
    const files = openForWriting(parts.folder, PROFILE.dimension);
    test.after(() => files.store.close());
    const body: Uint8Array[] = [];
    for (let at = 0; at < SENT.length; at += pieceBytes)
      body.push(Uint8Array.from(SENT.subarray(at, at + pieceBytes)));
    const answering = parts.thread.run(request(body));
    assert.equal((await parts.next()).type, 'attach');
    parts.post(parts.attached());
    const { next, post } = await inTime(successor.promise, 'the first try');
    assert.equal((await next()).type, 'attach');
    post(parts.attached());
    assert.partialDeepStrictEqual(await inTime(answering, 'the answer'), { status: 200 });
    assert.deepEqual({ errors, runs }, { errors: [], runs: 2 });
    // Freed bodies need no garbage collection.
    assert.ok(body.every(({ byteLength }) => byteLength === 0));
  });
}

it('preserves the condition, status and message of faults between threads, and the message of other errors', () => {
  const sent = fault('metadata-too-big', { bytes: 7 });
  const got = fromPlain(structuredClone(toPlain(sent)));
  assert.ok(got instanceof Fault);
  assert.deepEqual([got.condition, got.status, got.message], [sent.condition, sent.status, sent.message]);
  const other = fromPlain(structuredClone(toPlain(new TypeError('broken'))));
  assert.ok(!(other instanceof Fault));
  assert.match(other.message, /TypeError: broken/);
  assert.match(fromPlain(toPlain('text')).message, /text/);
});
