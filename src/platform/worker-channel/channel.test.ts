// Guarantees of channels: each call gets its own answer or error, and none waits forever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { Channel } from './channel.ts';
import { ChannelServer } from './channel-server.ts';
import { portEndpoint } from './endpoint.ts';
import { ChannelClosed, ChannelEnded } from './errors.ts';
import { connect } from './testing/connect.ts';
import {
  FIXTURE_CODEC,
  FIXTURE_HANDLERS,
  FixtureError,
  type FixtureMethods,
} from './testing/fixture-methods.ts';

const CALLS = 200;
const WAIT_MS_MAX = 10;

/** Deterministic whole numbers below `end` (a linear congruential generator). */
function randomNumbers(count: number, end: number): readonly number[] {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * end);
  });
}

test('gives each call its own answer, in whatever order answers come', async (test) => {
  const { channel } = connect<FixtureMethods>(test, FIXTURE_HANDLERS);
  const waits = randomNumbers(CALLS, WAIT_MS_MAX);
  assert.deepEqual(await Promise.all(waits.map((ms) => channel.call('wait', ms))), waits);
  assert.equal(channel.pending, 0);
});

test('starts calls and delivers notices in the order they were sent', async (test) => {
  const started: unknown[] = [];
  const { channel } = connect<FixtureMethods, never, number>(
    test,
    { ...FIXTURE_HANDLERS, echo: (request) => started.push(request) },
    { server: { onNotice: (notice) => started.push(notice) } },
  );
  const calls: Promise<unknown>[] = [];
  for (let i = 0; i < CALLS; i += 2) {
    calls.push(channel.call('echo', i));
    channel.notify(i + 1);
  }
  await Promise.all(calls);
  await channel.call('echo', CALLS);
  assert.deepEqual(
    started,
    Array.from({ length: CALLS + 1 }, (_, i) => i),
  );
});

test('delivers notes to their call before its answer, and notices to the caller', async (test) => {
  const heard: unknown[] = [];
  const { channel, server } = connect<FixtureMethods, string>(test, FIXTURE_HANDLERS, {
    caller: { onNotice: (notice) => heard.push(notice) },
  });
  server.notify('hello');
  heard.push(await channel.call('wait', 1, { onNote: (note) => heard.push(note) }));
  assert.deepEqual(heard, ['hello', 'waits 1 ms', 1]);
});

test('moves buffers of requests and answers instead of copying them', async (test) => {
  const { channel } = connect<FixtureMethods>(test, FIXTURE_HANDLERS);
  const bytes = Uint8Array.of(1, 2, 3);
  const answer = await channel.call('increment', bytes, { transfer: [bytes.buffer] });
  assert.deepEqual([...answer], [2, 3, 4]);
  assert.ok(bytes.buffer.detached);
});

test('keeps the class of errors that the codec knows, and the text of others', async (test) => {
  const { channel } = connect<FixtureMethods>(test, FIXTURE_HANDLERS, {
    caller: { codec: FIXTURE_CODEC },
    server: { codec: FIXTURE_CODEC },
  });
  await assert.rejects(channel.call('fail', 'fixture'), (error) => {
    assert.ok(error instanceof FixtureError);
    return error.code === 7;
  });
  await assert.rejects(channel.call('fail', 'other'), /Error: other/);
  const { channel: plain } = connect<FixtureMethods>(test, FIXTURE_HANDLERS);
  await assert.rejects(plain.call('fail', 'other'), /Error: other\n.*fixture-methods/s);
});

test('fails a call whose request or answer cannot be sent, and no other', async (test) => {
  const { channel } = connect<FixtureMethods>(test, { ...FIXTURE_HANDLERS, echo: () => () => undefined });
  await assert.rejects(
    channel.call('echo', () => undefined),
    { name: 'DataCloneError' },
  );
  assert.equal(channel.pending, 0);
  await assert.rejects(channel.call('echo', 1), /could not be cloned/);
  interface More extends FixtureMethods {
    readonly unserved: { readonly request: null; readonly response: null };
  }
  const { port1, port2 } = new MessageChannel();
  test.after(() => port1.close());
  new ChannelServer<FixtureMethods>(portEndpoint(port2), FIXTURE_HANDLERS);
  const more = new Channel<More>(portEndpoint(port1), { name: 'the fixture' });
  await assert.rejects(more.call('unserved', null), /unknown method 'unserved'/);
});

test('fails an aborted call with the reason, notifies its handler, and counts it until it ends', async (test) => {
  const pending: number[] = [];
  const { channel } = connect<FixtureMethods>(test, FIXTURE_HANDLERS, {
    caller: { onPending: (calls) => pending.push(calls) },
  });
  const controller = new AbortController();
  const call = channel.call('end', 'abort', { signal: controller.signal });
  await channel.call('echo', 1);
  controller.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
  assert.equal(channel.pending, 1);
  await channel.call('echo', 1);
  assert.equal(channel.pending, 0, 'the handler has ended');
  await assert.rejects(channel.call('echo', 1, { signal: controller.signal }), /enough/);
  assert.deepEqual(pending, [1, 2, 1, 2, 1, 0]);
});

test('does not abort a call that was answered', async (test) => {
  const { channel } = connect<FixtureMethods>(test, FIXTURE_HANDLERS);
  const controller = new AbortController();
  assert.equal(await channel.call('echo', 1, { signal: controller.signal }), 1);
  controller.abort();
  assert.equal(await channel.call('echo', 2), 2);
});

test('lets the serving side finish when it is closed, and accepts no call afterwards', async (test) => {
  const steps: string[] = [];
  const served = Promise.withResolvers<void>();
  const { channel } = connect<FixtureMethods>(test, FIXTURE_HANDLERS, {
    caller: { onEnd: () => steps.push('ended by itself') },
    server: {
      onClose: async () => {
        await new Promise(setImmediate);
        steps.push('finished');
      },
      onEnd: served.resolve,
    },
  });
  const answer = channel.call('echo', 1);
  const closing = channel.close();
  await assert.rejects(channel.call('echo', 2), ChannelClosed);
  assert.equal(await answer, 1);
  await Promise.all([closing, channel.close()]);
  steps.push('closed');
  await served.promise;
  assert.deepEqual(steps, ['finished', 'closed']);
});

test('closes a connection from the serving side once running calls are answered', async (test) => {
  const end = Promise.withResolvers<string>();
  const { channel, server } = connect<FixtureMethods>(test, FIXTURE_HANDLERS, {
    caller: { onEnd: (error) => end.resolve(error.message) },
  });
  const calls = [channel.call('wait', 5), channel.call('echo', 1)];
  await calls[1];
  server.closeWhenIdle();
  assert.deepEqual(await Promise.all(calls), [5, 1]);
  assert.match(await end.promise, /the fixture ended/);
});

test('reports errors of the serving side while it finishes', async (test) => {
  const onClose = () => {
    throw new Error('disk full');
  };
  const { channel } = connect<FixtureMethods>(test, FIXTURE_HANDLERS, { server: { onClose } });
  await assert.rejects(channel.close(), /disk full/);
});

test('fails every running call when the other side ends, and later calls at once', async (test) => {
  const ends: Error[] = [];
  const { channel, port } = connect<FixtureMethods>(test, FIXTURE_HANDLERS, {
    caller: { onEnd: (error) => ends.push(error) },
  });
  const calls = [channel.call('end', 'abort'), channel.call('end', 'abort')];
  await channel.call('echo', 1);
  port.close();
  for (const call of calls) await assert.rejects(call, ChannelEnded);
  await assert.rejects(channel.call('echo', 1), /the fixture ended/);
  assert.equal(ends.length, 1);
  assert.ok(channel.hasEnded);
  await channel.close();
});
