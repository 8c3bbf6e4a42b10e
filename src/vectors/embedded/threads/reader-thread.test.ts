// A reader thread keeps its word when an index goes away under its feet.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { mintProjectAccess } from '../../../domain/access.ts';
import { Fault, fault } from '../../../domain/faults.ts';
import { sampleProfile, sampleQuery } from '../../contract/sample-data.ts';
import { Arena } from '../memory/arena.ts';
import { CommitCount } from '../memory/commit-count.ts';
import { Epochs } from '../memory/epochs.ts';
import { indexFolder, openForWriting } from '../storage/index-files.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { inTime } from '../testing/until.ts';
import { packCall } from './packed-call.ts';
import { fromPlain, toPlain } from './plain-error.ts';
import type { ReaderMessage, ThreadRequest, WriterMessage } from './protocol.ts';
import { ReaderThread } from './reader-thread.ts';

const PROFILE = sampleProfile();
const INDEX_ID = PROFILE.id;
const REQUEST: ThreadRequest = {
  callId: 1,
  type: 'run',
  ...packCall(
    {
      endpointId: 'query_vectors',
      access: mintProjectAccess({ organizationId: 'o', projectId: 'p', principalId: 'p' }),
      version: null,
      index: PROFILE,
      params: {},
      query: {},
      body: [],
      requestId: 'test',
    },
    [],
  ),
};

/** A reader thread's object in this thread, whose one writer the test plays. */
function setUp(test: TestContext) {
  const dataDir = tempFolder(test);
  const { port1, port2 } = new MessageChannel();
  test.after(() => port1.close());
  const thread = new ReaderThread(
    {
      dataDir,
      number: 0,
      counts: { reader: 1, writer: 1, builder: 0 },
      epochs: Epochs.allocate(1),
      queryLoad: new SharedArrayBuffer(8),
      dropped: [],
    },
    async (_call, reader) => {
      const found = await reader.query(sampleQuery({ values: new Float32Array(4) }));
      return { status: 200, headers: {}, body: `${found.length} ${reader.lsn()}` };
    },
  );
  const joined = thread.answer({ callId: 0, type: 'join', peer: { kind: 'writer', number: 0 }, port: port2 });
  test.after(() => joined);
  const next = () =>
    inTime(new Promise<ReaderMessage>((resolve) => port1.once('message', resolve)), 'the reader');
  const post = (message: WriterMessage) => port1.postMessage(message);
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
  return { dataDir, folder: indexFolder(dataDir, INDEX_ID), thread, next, post, attached };
}

async function attach(test: TestContext) {
  const parts = setUp(test);
  const files = openForWriting(parts.folder, PROFILE.dimension);
  const [message] = await Promise.all([parts.next(), thread(parts)]);
  assert.equal(message.type, 'attach');
  test.after(() => files.store.close());
  return { ...parts, files };

  function thread({ thread: reading, post, attached }: typeof parts): Promise<unknown> {
    const answer = reading.answer(REQUEST);
    setTimeout(() => post(attached()), 5);
    return answer;
  }
}

for (const [when, makeFolder] of [
  ['is gone', () => {}],
  ['is half removed', (folder: string) => void mkdirSync(folder, { recursive: true })],
] as const) {
  it(`an index whose folder ${when} when the reader comes to it is not found, and not made again`, async (test) => {
    const { folder, thread, next, post, attached } = setUp(test);
    makeFolder(folder);
    const answer = thread.answer(REQUEST);
    assert.equal((await next()).type, 'attach');
    post(attached());
    await assert.rejects(inTime(answer, 'the request'), { condition: 'index-not-found' });
    assert.equal(existsSync(join(folder, 'records.mdb')), false);
    const again = thread.answer(REQUEST);
    assert.equal((await next()).type, 'attach', 'the next request asks anew');
    post({
      type: 'refused',
      indexId: INDEX_ID,
      error: toPlain(fault('index-not-found', { name: 'sample' })),
    });
    await assert.rejects(inTime(again, 'the second request'), { condition: 'index-not-found' });
  });
}

it('an attached index answers, and is asked for anew after it was detached', async (test) => {
  const { thread, next, post } = await attach(test);
  const answer = await thread.answer(REQUEST);
  assert.ok(answer.type === 'reply');
  assert.equal(answer.reply.body, '0 0');
  post({ type: 'detach', indexId: INDEX_ID });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const late = thread.answer(REQUEST);
  assert.equal((await next()).type, 'attach');
  post({ type: 'refused', indexId: INDEX_ID, error: toPlain(fault('index-not-found', { name: 'sample' })) });
  await assert.rejects(inTime(late, 'the late request'), { condition: 'index-not-found' });
});

it('faults keep condition, status and message between threads; other errors keep their text', () => {
  const sent = fault('metadata-too-big', { bytes: 7 });
  const got = fromPlain(structuredClone(toPlain(sent)));
  assert.ok(got instanceof Fault);
  assert.deepEqual([got.condition, got.status, got.message], [sent.condition, sent.status, sent.message]);
  const other = fromPlain(structuredClone(toPlain(new TypeError('broken'))));
  assert.ok(!(other instanceof Fault));
  assert.match(other.message, /TypeError: broken/);
  assert.match(fromPlain(toPlain('text')).message, /text/);
});
