// Failures of models are those that models are to blame for, in the metrics and in traces.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fault } from '../../domain/faults.ts';
import { InputTooLong } from '../../domain/inference/input-too-long.ts';
import type { LanguageModel } from '../../domain/inference/language-model.ts';
import type { EmbedRequest } from '../../domain/inference/port.ts';
import { clientGone, overloaded } from '../../domain/overload.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import {
  outgoingTraceHeaders,
  type SpanEnd,
  type Tracing,
  within,
} from '../../platform/telemetry/tracing.ts';
import { measuredInference, measuredLanguageModel } from './measured-models.ts';
import { ModelMeter } from './model-meter.ts';

const CONTEXT = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isSampled: true, state: '' };
const QUESTION = { model: 'm', messages: [], temperature: null, isJson: false };
const TOO_LONG = new InputTooLong(0, { tokens: 9, tokensMax: 5, model: 'm' });
const DOWN = fault('model-unavailable', { model: 'm', reason: 'down' });
const BUSY = overloaded(1, new Error('429'));

/** What a call of each kind counts and records where the model throws. */
async function failuresBy(error: unknown, isGone = false) {
  const meter = new ModelMeter();
  const ends: SpanEnd[] = [];
  const tracing: Tracing = {
    start: () => ({ context: CONTEXT, end: (how = {}) => ends.push(how) }),
    close: async () => undefined,
  };
  const fails = () => Promise.reject(error);
  const inference = measuredInference(
    { ...testInference(), embed: fails, rerank: fails, infer: fails },
    meter,
  );
  const model: LanguageModel = {
    ask: async function* () {
      yield { type: 'text', text: 'a' };
      throw error;
    },
  };
  const asked = measuredLanguageModel(model, meter);
  const controller = new AbortController();
  if (isGone) controller.abort(clientGone());
  const { signal } = controller;
  const request = { model: { name: 'm' } } as EmbedRequest;
  await within(CONTEXT, tracing, async () => {
    await assert.rejects(inference.embed(request, { signal }), error as Error);
    await assert.rejects(Array.fromAsync(asked.ask(QUESTION, signal)), error as Error);
  });
  const counted = meter.all().map(({ latency, failures }) => [latency.count, failures]);
  assert.deepEqual(
    counted.map(([calls]) => calls),
    [1, 1],
  );
  const failures = counted.map(([, each]) => each);
  assert.deepEqual(
    ends.map(({ failure }) => Number(failure !== undefined)),
    failures,
  );
  return failures;
}

describe('a failure of a model', () => {
  it('counts where it is down, breaks, or has too many requests of its own', async () => {
    for (const error of [DOWN, new TypeError('broken'), BUSY]) {
      assert.deepEqual(await failuresBy(error), [1, 1], String(error));
    }
  });

  it("does not count for mistakes of callers and this server's own queue", async () => {
    for (const error of [TOO_LONG, overloaded()])
      assert.deepEqual(await failuresBy(error), [0, 0], String(error));
  });

  it('does not count where the caller has left', async () => {
    for (const error of [clientGone(), new DOMException('aborted', 'AbortError')])
      assert.deepEqual(await failuresBy(error, true), [0, 0], String(error));
  });
});

it('has the provider of a language model continue the trace at its own question, for all of the answer', async () => {
  const seen: string[] = [];
  const part = { ...CONTEXT, spanId: '3'.repeat(16) };
  let ended = 0;
  const tracing: Tracing = {
    start: () => ({ context: part, end: () => void ended++ }),
    close: async () => undefined,
  };
  const look = () => seen.push(outgoingTraceHeaders().traceparent?.split('-')[2] ?? '');
  const model: LanguageModel = {
    ask: async function* () {
      look();
      try {
        for (const text of ['a', 'b', 'c']) {
          await Promise.resolve();
          look();
          yield { type: 'text', text };
        }
      } finally {
        look();
      }
    },
  };
  const asked = measuredLanguageModel(model, new ModelMeter());
  const { signal } = new AbortController();
  const taken: string[] = [];
  await within(CONTEXT, tracing, async () => {
    for await (const piece of asked.ask(QUESTION, signal)) {
      assert.equal(outgoingTraceHeaders().traceparent?.split('-')[2], CONTEXT.spanId);
      if (piece.type === 'text') taken.push(piece.text);
      if (taken.length === 2) break;
    }
  });
  assert.deepEqual(taken, ['a', 'b']);
  assert.deepEqual(seen, Array(4).fill(part.spanId));
  assert.equal(ended, 1);
});
