// Guarantees against misbehaving HTTP providers: a clear error in time, nothing half-done, no other address called.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { embedModel } from '../../../domain/inference/find-model.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { readEmbedParameters } from '../../../domain/inference/read-parameters.ts';
import { ProviderError } from '../../provider-errors.ts';
import { ANSWER_BYTES_MAX, postJson } from './post-json.ts';
import {
  type Answer,
  fakeProvider,
  inferenceOverHttp,
  json,
  type OverHttpOptions,
  status,
} from './testing/fake-provider.ts';

async function provider(answer: Answer) {
  const fake = await fakeProvider(answer);
  after(() => fake.close());
  return fake;
}

const KEY = 'sk-very-secret';

async function misbehaving(answer: Answer, options: OverHttpOptions = {}) {
  const fake = await provider(answer);
  const setting = { provider: 'openai', url: fake.url, key: KEY, dimensions: 2 };
  return { fake, ...inferenceOverHttp(setting, options) };
}

function embed(inference: Inference, inputs: readonly string[], signal?: AbortSignal) {
  const model = embedModel(inference, 'm');
  return inference.embed({ model, inputs, parameters: readEmbedParameters(model, {}) }, { signal });
}

async function faultOf(inference: Inference, inputs: readonly string[] = ['a', 'b']): Promise<Fault> {
  try {
    await embed(inference, inputs);
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    assert.ok(!error.message.includes(KEY) && !error.message.includes('secret details'));
    return error;
  }
  assert.fail('it answered');
}

const entry = (index: number, embedding: unknown) => ({ index, embedding });
const good = [entry(0, [1, 0]), entry(1, [0, 1])];
const nan = Buffer.from(Float32Array.of(1, Number.NaN).buffer).toString('base64');

const NONSENSE: Readonly<Record<string, readonly [Answer, RegExp]>> = {
  'vectors of another dimension': [
    json({ data: [entry(0, [1, 0, 0]), entry(1, [0, 1, 0])] }),
    /dimension 3 instead of 2/,
  ],
  'a position twice': [json({ data: [entry(0, [1, 0]), entry(0, [0, 1])] }), /positions of the results/],
  'a position beyond the end': [
    json({ data: [entry(0, [1, 0]), entry(2, [0, 1])] }),
    /positions of the results/,
  ],
  'half an answer': [json({ data: [entry(0, [1, 0])] }), /1 results for 2 texts/],
  'no numbers': [json({ data: [entry(0, [1, null]), entry(1, [0, 1])] }), /a value is not a finite number/],
  'not-a-number in base64': [json({ data: [entry(0, nan), entry(1, nan)] }), /not numbers/],
  'a vector without direction': [json({ data: [entry(0, [0, 0]), entry(1, [0, 1])] }), /no direction/],
  'a cut vector': [json({ data: [entry(0, 'AAAA'), entry(1, 'AAAA')] }), /a vector is truncated/],
  'no list of results': [json({ results: [] }), /data is not a list/],
  'no object': [json([1, 2]), /the answer is not an object/],
  'no JSON': [(_, response) => response.end('<html>Welcome</html>'), /not JSON/],
  'an unknown path': [status(404), /status 404/],
  'a refused key': [status(401), /refuses the key/],
};

/** Answers to one text. */
const SPARSE_NONSENSE: Readonly<Record<string, readonly [entries: unknown, reason: RegExp]>> = {
  'a weight beyond 32 bits': [[{ index: 1, value: 1e39 }], /a value is not a finite number/],
  'an index twice': [[1, 2, 1].map((index) => ({ index, value: 1 })), /occurs twice/],
  'an index beyond 32 bits': [[{ index: 2 ** 32, value: 1 }], /not a whole number of 32 bits/],
  'an index without a weight': [[{ index: 1 }], /a value is not a finite number/],
};

for (const [name, [entries, reason]] of Object.entries(SPARSE_NONSENSE)) {
  test(`responds 503 with the reason at once to a sparse vector with ${name}`, async () => {
    const fake = await provider(json([entries]));
    const { inference } = inferenceOverHttp({ provider: 'tei', url: fake.url, vector_type: 'sparse' });
    const fault = await faultOf(inference, ['a']);
    assert.equal(fault.status, 503);
    assert.match(fault.message, reason);
    assert.equal(fake.received.length, 1);
  });
}

for (const [name, [answer, reason]] of Object.entries(NONSENSE)) {
  test(`responds 503 with the reason at once, and reports it to the operator: ${name}`, async () => {
    const { fake, inference, providerErrors } = await misbehaving(answer);
    const fault = await faultOf(inference);
    assert.equal(fault.condition, 'model-unavailable');
    assert.match(fault.message, reason);
    assert.equal(fake.received.length, 1);
    assert.equal(providerErrors.length, 1);
  });
}

test('responds 503 to a vector of zeros, also where it is not to be normalized, or one only once it is cut', async () => {
  for (const [setting, vector] of [
    [{ normalize: false }, [0, 0]],
    [{ normalize: false }, [1e-9, -1e-9]],
    [{ normalize: false, resize: 'cut', dimensions: [2, 4] }, [0, 0, 1, 1]],
  ] as const) {
    const fake = await provider(json({ data: [entry(0, vector)] }));
    const { inference } = inferenceOverHttp({ provider: 'openai', url: fake.url, dimensions: 2, ...setting });
    const model = embedModel(inference, 'm');
    const parameters = { ...readEmbedParameters(model, {}), dimension: 2 };
    await assert.rejects(
      inference.embed({ model, inputs: ['a'], parameters }),
      (error) => error instanceof Fault && error.status === 503 && /no direction/.test(error.message),
    );
  }
});

test('follows no redirect, so that no other address is ever called', async () => {
  const other = await provider(json({ data: good }));
  const { inference } = await misbehaving(status(307, { location: `${other.url}/embeddings` }));
  assert.match((await faultOf(inference)).message, /status 307/);
  assert.equal(other.received.length, 0);
});

test('stops reading a body beyond the bound', async () => {
  let sent = 0;
  const piece = Buffer.alloc(1024 * 1024, 32);
  const { inference } = await misbehaving((_, response) => {
    const send = () => {
      while (!response.destroyed && sent < 10 * ANSWER_BYTES_MAX) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', send);
      }
      response.end();
    };
    send();
  });
  assert.match((await faultOf(inference)).message, /too large/);
  assert.ok(sent < 2 * ANSWER_BYTES_MAX);
});

test('responds 503 after a few retries of a provider that is down', async () => {
  const fake = await fakeProvider(json({}));
  fake.close();
  const { inference } = inferenceOverHttp({ provider: 'openai', url: fake.url, dimensions: 2 });
  const fault = await faultOf(inference);
  assert.match(fault.message, /^Model m cannot answer now: its provider cannot be reached\. Retry later\.$/);
});

test('hides a passing failure from the caller', async () => {
  const { fake, inference } = await misbehaving(status(503, { 'retry-after': '0' }));
  fake.answer = (received, response) => {
    fake.answer = (_, next) => {
      fake.answer = json({ data: good });
      next.writeHead(200, { 'content-length': '1000' });
      next.write('{"data":');
      next.destroy();
    };
    status(503, { 'retry-after': '0' })(received, response);
  };
  assert.equal((await embed(inference, ['a', 'b'])).embeddings.length, 2);
  assert.equal(fake.received.length, 3);
});

test('retries a busy provider at its time, and reports that time to the caller if it is beyond the deadline', async () => {
  const { fake, inference } = await misbehaving(status(429, { 'retry-after': '0' }));
  fake.answer = (received, response) => {
    fake.answer = json({ data: good });
    status(429, { 'retry-after': '0' })(received, response);
  };
  assert.equal((await embed(inference, ['a', 'b'])).embeddings.length, 2);
  fake.answer = status(429, { 'retry-after': '30' });
  const fault = await faultOf(inference, ['c', 'd']);
  assert.equal(fault.status, 429);
  assert.equal(fault.retryAfterSeconds, 30);
});

test('reads retry-after in seconds, also in fractions, or as a date, and takes nothing else for one', async () => {
  const fake = await provider(json({}));
  const ms = async (header: string) => {
    fake.answer = status(429, { 'retry-after': header });
    const asked = postJson({ url: fake.url, key: null, body: {}, signal: new AbortController().signal });
    const error = await asked.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ProviderError && error.kind === 'busy', header);
    return error.retryAfterMs;
  };
  const found: Record<string, number | undefined> = {};
  const expected = {
    '1.5': 1_500,
    '0.5': 500,
    '0': 0,
    ' 7 ': 7_000,
    [`1${'0'.repeat(400)}`]: 3_600_000,
    'Fri, 31 Dec 1999 23:59:59 GMT': 0,
    'Tue, 31 Dec 2999 23:59:59 GMT': 3_600_000,
    '-1': undefined,
    '1.': undefined,
    '+5': undefined,
    '1 2': undefined,
    '2030-01-01': undefined,
    soon: undefined,
  };
  for (const header of Object.keys(expected)) found[header] = await ms(header);
  assert.deepEqual(found, expected);
});

test('responds 400 to a request that the provider refuses, with its reason and without a retry', async () => {
  const { fake, inference } = await misbehaving((_, response) => {
    response.writeHead(413);
    response.end(JSON.stringify({ error: { message: 'unknown field.' } }));
  });
  const fault = await faultOf(inference);
  assert.equal(fault.status, 400);
  assert.match(
    fault.message,
    /^Model 'm' refused the input: its provider answered status 413: unknown field\.$/,
  );
  // The batch, and a text that no provider refuses that takes any.
  assert.equal(fake.received.length, 2);
});

test('responds 503 at the deadline for an endless response, and closes the connection', async (context) => {
  // A busy machine may take longer than the deadline until the request has arrived.
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const { inference } = await misbehaving(
    (_, response) => {
      response.write('{');
      response.on('close', closed.resolve);
      begun.resolve();
    },
    { deadlineMs: 1_000 },
  );
  const failed = faultOf(inference);
  await begun.promise;
  context.mock.timers.tick(1_000);
  assert.match((await failed).message, /no answer within 1 s/);
  await closed.promise;
});

test('cancels the request to the provider when the caller disconnects', async () => {
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const { inference } = await misbehaving((_, response) => {
    response.on('close', closed.resolve);
    begun.resolve();
  });
  const leaving = new AbortController();
  const embedding = embed(inference, ['a'], leaving.signal);
  await begun.promise;
  leaving.abort(new Error('the caller left'));
  await assert.rejects(embedding, /the caller left/);
  await closed.promise;
});

test('responds 429 with retry-after beyond the queue, and accepts requests again afterwards', async () => {
  const gates: (() => void)[] = [];
  const both = Promise.withResolvers<void>();
  const { inference } = await misbehaving(
    (received, response) => {
      const texts = received.body.input as string[];
      gates.push(() => json({ data: texts.map((_, index) => entry(index, [1, 0])) })(received, response));
      if (gates.length === 2) both.resolve();
    },
    { requestsMax: 2 },
  );
  const under = [embed(inference, ['a']), embed(inference, ['b'])];
  await both.promise;
  const fault = await faultOf(inference);
  assert.equal(fault.status, 429);
  assert.equal(fault.retryAfterSeconds, 1);
  for (const open of gates) open();
  await Promise.all(under);
  const last = embed(inference, ['c']);
  while (gates.length < 3) await new Promise((resolve) => setImmediate(resolve));
  gates[2]?.();
  await last;
});

test('stops calling the provider after five failures, and tells the caller when to retry', async () => {
  const { fake, inference } = await misbehaving(status(404));
  for (let i = 0; i < 5; i++) await faultOf(inference);
  const fault = await faultOf(inference);
  assert.match(fault.message, /not called for a while/);
  assert.ok((fault.retryAfterSeconds ?? 0) >= 9);
  assert.equal(fake.received.length, 5);
});

async function outcome(inference: Inference, name: string): Promise<string> {
  const model = embedModel(inference, name);
  const request = { model, inputs: ['a', 'b'], parameters: readEmbedParameters(model, {}) };
  return await inference.embed(request).then(() => 'answered', String);
}

test('calls the other models of an address on while one of them is broken, and none while one is down', async () => {
  const failing =
    (code: number): Answer =>
    (received, response) => {
      const isFailed = received.body.model === 'm';
      const answer = isFailed ? status(code, { 'retry-after': '60' }) : json({ data: good });
      answer(received, response);
    };
  for (const code of [404, 503]) {
    const { fake, inference } = await misbehaving(failing(code), { others: ['other'] });
    for (let failures = 0; failures < 5; failures++)
      assert.match(await outcome(inference, 'm'), new RegExp(`status ${code}`));
    for (let calls = 0; calls < 6; calls++) {
      const other = await outcome(inference, 'other');
      assert.match(other, code === 404 ? /^answered$/ : /not called for a while/);
      assert.match(await outcome(inference, 'm'), /not called for a while/);
    }
    assert.equal(fake.received.length, code === 404 ? 11 : 5);
  }
});
