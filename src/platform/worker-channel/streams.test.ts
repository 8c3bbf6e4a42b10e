// Guarantees of streams in channels: order, bounds, and the same outcome on both sides.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CallStream } from './call-stream.ts';
import type { Handlers } from './channel-server.ts';
import { ITEMS_AHEAD } from './item-stream.ts';
import { connect } from './testing/connect.ts';

const ITEMS = 50;

interface StreamMethods {
  /** Sends every item of the upload back, doubled, and answers with their number. */
  readonly double: {
    readonly request: null;
    readonly response: number;
    readonly upload: number;
    readonly download: number;
  };
  /** Sends this many numbers from 0, unless it is aborted; fails then, if requested. */
  readonly count: {
    readonly request: { readonly items: number; readonly error?: string };
    readonly response: string;
    readonly download: number;
  };
  /** Sends the same few buffers again and again. */
  readonly buffers: {
    readonly request: number;
    readonly response: number;
    readonly download: Uint8Array<ArrayBuffer>;
  };
}

function open(test: TestContext, { itemsAhead = ITEMS_AHEAD } = {}) {
  const seen = { sent: 0, aborted: [] as string[] };
  const handlers: Handlers<StreamMethods> = {
    double: async (_, call) => {
      let count = 0;
      for await (const item of call.items()) {
        count++;
        await call.send(item * 2);
      }
      return count;
    },
    count: async ({ items, error }, call) => {
      call.signal.addEventListener('abort', () => seen.aborted.push(call.signal.reason.message));
      for (let i = 0; i < items; i++) {
        await call.send(i);
        seen.sent++;
      }
      if (error !== undefined) throw new Error(error);
      return 'all sent';
    },
    buffers: async (items, call) => {
      const spare: ArrayBuffer[] = [];
      let made = 0;
      call.onReturned((buffer) => spare.push(buffer));
      for (let i = 0; i < items; i++) {
        const buffer = spare.pop() ?? new ArrayBuffer(8);
        if (made < i) made = i;
        await call.send(new Uint8Array(buffer).fill(i), [buffer]);
      }
      return spare.length;
    },
  };
  return { ...connect<StreamMethods>(test, handlers, { server: { itemsAhead } }), seen };
}

async function sendAll(call: CallStream<StreamMethods['double']>): Promise<void> {
  for (let i = 0; i < ITEMS; i++) await call.send(i);
  call.end();
}

test('carries items in order in both directions at once, then the answer', async (test) => {
  const { channel } = open(test);
  const calls = [channel.stream('double', null), channel.stream('double', null)];
  const expected = Array.from({ length: ITEMS }, (_, i) => i * 2);
  for (const call of calls) void sendAll(call);
  for (const call of calls) {
    assert.deepEqual(await Array.fromAsync(call.items()), expected);
    assert.equal(await call.response, ITEMS);
    assert.ok(call.isAnswered);
  }
});

for (const itemsAhead of [1, 2, ITEMS_AHEAD]) {
  test(`lets a sender go ${itemsAhead} ahead of its reader and no further`, async (test) => {
    const { channel, seen } = open(test, { itemsAhead });
    const call = channel.stream('count', { items: ITEMS });
    let taken = 0;
    for await (const item of call.items()) {
      assert.equal(item, taken++);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      assert.ok(seen.sent < taken + itemsAhead, `${seen.sent} sent, ${taken} taken`);
    }
    assert.equal(taken, ITEMS);
    assert.equal(await call.response, 'all sent');
  });
}

test('returns used buffers to be filled again', async (test) => {
  const { channel } = open(test);
  const call = channel.stream('buffers', ITEMS, { bufferToReturn: (item) => item.buffer });
  let taken = 0;
  for await (const item of call.items()) {
    assert.equal(item.length, 8);
    assert.equal(item[0], taken++);
  }
  assert.ok((await call.response) <= ITEMS_AHEAD);
});

test('fails the reader after the items that came before the error', async (test) => {
  const { channel } = open(test);
  const call = channel.stream('count', { items: 0, error: 'broken' });
  await assert.rejects(Array.fromAsync(call.items()), /broken/);
  await assert.rejects(call.response, /broken/);
  assert.equal(call.isAnswered, false);
});

test('fails both sides with the first reason of an abort', async (test) => {
  const { channel, seen } = open(test);
  const call = channel.stream('count', { items: ITEMS });
  const items = call.items();
  await items.next();
  call.abort(new Error('enough'));
  call.abort(new Error('too late'));
  await assert.rejects(items.next(), /enough/);
  await assert.rejects(call.response, /enough/);
  await assert.rejects(call.send(0 as never), /enough/);
  while (channel.pending > 0) await new Promise(setImmediate);
  assert.deepEqual(seen.aborted, ['the caller has given the call up']);
  assert.ok(seen.sent <= ITEMS_AHEAD + 1);
});

test('aborts a call when its signal does, and starts none with an aborted signal', async (test) => {
  const { channel, seen } = open(test);
  const controller = new AbortController();
  const { signal } = controller;
  const done = channel.stream('count', { items: 1 }, { signal });
  assert.deepEqual(await Array.fromAsync(done.items()), [0]);
  const call = channel.stream('count', { items: ITEMS }, { signal });
  const items = call.items();
  await items.next();
  controller.abort(new Error('enough'));
  await assert.rejects(items.next(), /enough/);
  while (channel.pending > 0) await new Promise(setImmediate);
  assert.equal(seen.aborted.length, 1);
  assert.throws(() => channel.stream('count', { items: 1 }, { signal }), /enough/);
});

test('aborts a call whose items are left early', async (test) => {
  const { channel, seen } = open(test);
  const call = channel.stream('count', { items: ITEMS });
  for await (const item of call.items()) if (item === 2) break;
  await assert.rejects(call.response, /the items were not read to the end/);
  while (channel.pending > 0) await new Promise(setImmediate);
  assert.equal(seen.aborted.length, 1);
});

test('fails streams on both sides when the connection ends', async (test) => {
  const { channel, seen, port } = open(test);
  const call = channel.stream('count', { items: ITEMS });
  const items = call.items();
  await items.next();
  port.close();
  await assert.rejects(async () => {
    for (;;) await items.next();
  }, /the fixture ended/);
  await assert.rejects(call.response, /the fixture ended/);
  assert.deepEqual(seen.aborted, ['the caller ended: it was terminated']);
});
