// Guarantees of the language model endpoint: errors are classified without showing its output, and no work outlives its caller.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import type { ModelPiece } from '../../domain/inference/language-model.ts';
import { HANG_MS } from '../../platform/testing/until.ts';
import { type EndpointOptions, ModelEndpoint } from './model-endpoint.ts';
import { eventsOf, type FakeModel, fakeModel, inBytes, type Reply } from './testing/fake-model.ts';

const REQUEST = { model: 'm', messages: [], temperature: null, isJson: false } as const;
const { signal } = new AbortController();

describe('the endpoint of a language model', () => {
  let model: FakeModel;
  before(async () => {
    model = await fakeModel();
  });
  after(() => model.close());

  const endpoint = (options: Partial<EndpointOptions> = {}): ModelEndpoint =>
    new ModelEndpoint({
      baseUrl: model.baseUrl,
      apiKey: 'secret',
      parallelMax: 4,
      waitingMax: 0,
      silenceMsMax: HANG_MS,
      answerMsMax: HANG_MS,
      ...options,
    });
  const pieces = (options: Partial<EndpointOptions> = {}): Promise<readonly ModelPiece[]> =>
    Array.fromAsync(endpoint(options).ask(REQUEST, signal));
  const streams =
    (text: string): Reply =>
    (response) =>
      void response.setHeader('content-type', 'text/event-stream').end(text);
  const answers =
    (status: number, headers: Readonly<Record<string, string>> = {}): Reply =>
    (response) =>
      void response.writeHead(status, headers).end('secret');

  it('accepts an answer that is not streamed', async () => {
    const choices = [{ message: { content: 'Fish' }, finish_reason: 'stop' }];
    let authorization: string | undefined;
    model.reply = (response, request) => {
      authorization = request.headers.authorization;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices }));
    };
    assert.deepEqual(await pieces(), [
      { type: 'text', text: 'Fish' },
      { type: 'end', finishReason: 'stop', usage: null },
    ]);
    assert.equal(authorization, 'Bearer secret');
  });

  it('yields whole characters, wherever the events cut them', async () => {
    model.reply = streams(eventsOf(['a\ud83d', '\ude00b', '\ud83d']));
    const texts = (await pieces()).flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
    assert.deepEqual(texts, ['a', '😀b']);
  });

  it('cuts an endless answer and reports it', async () => {
    model.reply = inBytes(eventsOf(['12345', '67890', 'x']));
    assert.deepEqual(await pieces({ answerCharactersMax: 8 }), [
      { type: 'text', text: '12345' },
      { type: 'text', text: '678' },
      { type: 'end', finishReason: 'length', usage: null },
    ]);
  });

  it('fails at calls of tools without end, whatever they consist of', async () => {
    for (const call of [{ function: { arguments: 'x' } }, { function: { name: 'x' } }, { id: 'x' }, {}]) {
      const event = { choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] };
      model.reply = streams(`data: ${JSON.stringify(event)}\n\n`.repeat(20) + eventsOf([], 'tool_calls'));
      await assert.rejects(pieces({ answerCharactersMax: 15 }), /its answer has no end/);
      const whole = await pieces({ answerCharactersMax: 200 });
      assert.equal(whole.length, 21);
    }
  });

  it('fails without showing anything that the model sent', async () => {
    const providerErrors: string[] = [];
    const onProviderError: EndpointOptions['onProviderError'] = (name, { message }) =>
      providerErrors.push(`${name} ${message}`);
    const fails = async (reply: Reply, reason: RegExp, options: Partial<EndpointOptions> = {}) => {
      model.reply = reply;
      const error = await pieces({ onProviderError, ...options }).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Fault && error.condition === 'chat-unavailable', String(error));
      assert.match(error.message, reason);
      assert.doesNotMatch(error.message + providerErrors.join(), /secret/);
    };
    await fails(answers(500, { 'retry-after': '60' }), /answered status 500/);
    await fails(answers(401), /refuses the key/);
    await fails(answers(307, { location: `${model.baseUrl}/elsewhere` }), /answered status 307/);
    await fails(answers(200, { 'content-type': 'text/html' }), /no stream of events/);
    await fails(streams('data: secret\n\n'), /no stream of events/);
    await fails(streams('data: null\n\n'), /no stream of events/);
    await fails(streams('data: {"error":{"message":"secret"}}\n\n'), /ended its answer with an error/);
    await fails(streams(eventsOf(['half'], null)), /cut off/);
    await fails(streams(''), /cut off/);
    const json =
      (answer: unknown): Reply =>
      (response) =>
        void response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    for (const answer of [{}, { choices: [] }, { choices: {} }, { choices: [{}] }, { choices: ['secret'] }])
      await fails(json(answer), /its answer has no choice/);
    await fails(json({ object: 'list', data: ['secret'] }), /its answer has no choice/);
    const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
    for (const event of [{}, usage, { detail: 'secret' }])
      await fails(streams(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`), /its answer has no choice/);
    await fails(streams('data: [DONE]\n\n'), /its answer has no choice/);
    await fails(streams('x'.repeat(1_100_000)), /has no end/);
    await fails(streams('data: x\n'.repeat(200_000)), /has no end/);
    const breaksOff: Reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '9999' });
      response.write(eventsOf(['half'], null), () => response.destroy());
    };
    await fails(breaksOff, /cut off/);
    await fails(answers(200, { 'content-type': 'application/json' }), /not JSON/);
    await fails(() => {}, /silent/, { silenceMsMax: 20 });
    const alive: Reply = (response) => {
      response.setHeader('content-type', 'text/event-stream');
      const timer = setInterval(() => response.write(': alive\n\n'), 5);
      response.on('close', () => clearInterval(timer));
    };
    await fails(alive, /too long/, { answerMsMax: 40 });
    assert.equal(providerErrors.length, 25);
  });

  it("shows the model's own reason of a refusal to the caller and the log, without its key", async () => {
    const reason = { error: { message: 'context of 4096 tokens exceeded, key secret at http://10.0.0.1/x' } };
    const refuses =
      (status: number): Reply =>
      (response) =>
        void response.writeHead(status).end(JSON.stringify(reason));
    for (const status of [400, 404]) {
      const providerErrors: string[] = [];
      const onProviderError: EndpointOptions['onProviderError'] = (_, { message }) =>
        providerErrors.push(message);
      model.reply = refuses(status);
      const error = await pieces({ onProviderError }).catch((thrown: unknown) => thrown);
      for (const shown of [String(error), providerErrors.join()]) {
        assert.match(shown, /context of 4096 tokens exceeded, key \[hidden\] at \[hidden\]/);
      }
    }
  });

  it("reports the retry time of a busy model, and its refusals as the caller's error", async () => {
    const refused = async (reply: Reply): Promise<Fault> => {
      model.reply = reply;
      const error = await pieces().catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Fault, String(error));
      return error;
    };
    const busy = await refused(answers(429, { 'retry-after': '90' }));
    assert.deepEqual([busy.condition, busy.retryAfterSeconds], ['overloaded', 90]);
    const down = await refused(answers(503, { 'retry-after': '3600' }));
    assert.deepEqual([down.condition, down.retryAfterSeconds], ['chat-unavailable', 3_600]);
    assert.equal((await refused(answers(400))).condition, 'invalid-argument');
  });

  it('is asked to count tokens, and no longer where it refuses that, in whatever words', async () => {
    const counted = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 1 } };
    const countsIfAsked: Reply = (response, _, body) => {
      const isAsked = JSON.parse(body).stream_options?.include_usage === true;
      streams(`${eventsOf(['Fish'])}${isAsked ? `data: ${JSON.stringify(counted)}\n\n` : ''}`)(
        response,
        _,
        body,
      );
    };
    model.reply = countsIfAsked;
    const usage = { promptTokens: 7, completionTokens: 1 };
    assert.deepEqual((await pieces()).at(-1), { type: 'end', finishReason: 'stop', usage });
    for (const status of [400, 422]) {
      model.reply = (...call) =>
        (call[2].includes('stream_options') ? answers(status) : countsIfAsked)(...call);
      const one = endpoint();
      const before = model.bodies.length;
      for (let time = 0; time < 2; time++) {
        const end = (await Array.fromAsync(one.ask(REQUEST, signal))).at(-1);
        assert.deepEqual(end, { type: 'end', finishReason: 'stop', usage: null });
      }
      assert.equal(model.bodies.length - before, 3);
    }
  });

  it('is retried when it fails before its first token', async () => {
    const replies = [answers(503), streams(eventsOf(['Fish']))];
    model.reply = (...call) => replies.shift()?.(...call);
    assert.deepEqual((await pieces())[0], { type: 'text', text: 'Fish' });
  });

  it('is not called for a while when it keeps failing', async () => {
    model.reply = answers(404);
    const one = endpoint();
    const ask = () => Array.fromAsync(one.ask(REQUEST, signal)).catch((error: unknown) => String(error));
    for (let failures = 0; failures < 5; failures++) await ask();
    const before = model.bodies.length;
    assert.match(String(await ask()), /not called for a while/);
    assert.equal(model.bodies.length, before);
  });

  it('bounds the answers in progress and those waiting, and refuses more', async () => {
    const held = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    model.reply = async (response) => {
      most = Math.max(most, ++running);
      if (running === 2) held.resolve();
      await held.promise;
      running--;
      response.setHeader('content-type', 'text/event-stream').end(eventsOf(['ok']));
    };
    const one = endpoint({ parallelMax: 2, waitingMax: 1 });
    const answers = Array.from({ length: 4 }, () => Array.fromAsync(one.ask(REQUEST, signal)));
    const outcomes = Promise.allSettled(answers);
    await assert.rejects(answers[3] ?? Promise.resolve(), /Too many requests are waiting/);
    assert.equal((await outcomes).filter(({ status }) => status === 'fulfilled').length, 3);
    assert.equal(most, 2);
  });

  it('cancels its request when the caller aborts or leaves the loop, which frees its slot', async () => {
    const closed: Promise<unknown>[] = [];
    model.reply = (response) => {
      response.setHeader('content-type', 'text/event-stream');
      closed.push(once(response, 'close'));
      response.write(eventsOf(['some words of it'], null));
    };
    const one = endpoint({ parallelMax: 1, waitingMax: 0 });
    const caller = new AbortController();
    await assert.rejects(async () => {
      for await (const _ of one.ask(REQUEST, caller.signal)) caller.abort(new Error('left'));
    }, /left/);
    for await (const _ of one.ask(REQUEST, signal)) break;
    assert.equal((await Promise.all(closed)).length, 2);
  });

  it('does not count the time of a slow reader as silence of the model', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    model.reply = streams(eventsOf(['one', 'two']));
    const texts: string[] = [];
    for await (const piece of endpoint({ silenceMsMax: 30 }).ask(REQUEST, signal)) {
      if (piece.type === 'text') texts.push(piece.text);
      test.mock.timers.tick(40);
    }
    assert.deepEqual(texts, ['one', 'two']);
  });
});
