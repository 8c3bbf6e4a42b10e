// Guarantees of texts whose tokens only the provider can count: they are cut until it takes them, or named.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { embedModel, rerankModel } from '../../../domain/inference/find-model.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { readEmbedParameters, readRerankParameters } from '../../../domain/inference/read-parameters.ts';
import { fakeProvider, inferenceOverHttp, json } from './testing/fake-provider.ts';

const CHARS_MAX = 300;
const FORBIDDEN = 'forbidden';
/** Sent to see whether the provider refuses everything. */
const PROBE = 'P: text';

interface Refusing {
  readonly provider: 'openai' | 'tei';
  readonly status: number;
}

/** A provider that takes texts of some characters only, and none with a certain word. */
async function refusing({ provider, status }: Refusing) {
  const fake = await fakeProvider((received, response) => {
    const inputs = (received.body.input ?? received.body.inputs) as readonly string[];
    if (inputs.some((text) => text.length > CHARS_MAX || text.includes(FORBIDDEN))) {
      response.writeHead(status);
      response.end(JSON.stringify({ error: 'at most 75 tokens, but 80 were given' }));
      return;
    }
    const vectors = inputs.map((text) => [text.length, 1]);
    const answer =
      provider === 'tei' ? vectors : { data: vectors.map((embedding, index) => ({ index, embedding })) };
    json(answer)(received, response);
  });
  after(() => fake.close());
  const setting = { provider, url: fake.url, dimensions: 2, normalize: false, max_tokens: 512 };
  return { fake, ...inferenceOverHttp({ ...setting, prefixes: { passage: 'P: ' } }) };
}

async function embed(inference: Inference, inputs: readonly string[], truncate: string) {
  const model = embedModel(inference, 'm');
  const { embeddings } = await inference.embed({
    ...{ model, inputs },
    parameters: readEmbedParameters(model, { truncate }),
  });
  return embeddings.map(({ values }) => values[0]);
}

test('cuts the texts that the provider refuses until it takes them, and no others', async () => {
  const { fake, inference } = await refusing({ provider: 'openai', status: 400 });
  const inputs = ['a', `begin ${'x'.repeat(1_000)} end`, 'b'.repeat(200), `begin ${'y'.repeat(400)} end`];
  assert.deepEqual(await embed(inference, inputs, 'END'), [4, 256, 203, 208]);
  const sent = fake.received.flatMap(({ body }) => body.input as string[]);
  assert.ok(sent.every((text) => text === PROBE || /^P: (begin|a|b)/.test(text)));
  assert.equal((await embed(inference, inputs, 'START'))[1], 256);
  const sentLater = fake.received.flatMap(({ body }) => body.input as string[]).slice(sent.length);
  assert.ok(
    sentLater.every((text) => text === PROBE || (/( end|a|b)$/.test(text) && text.startsWith('P: '))),
  );
});

test('keeps words of a text that begins or ends with blanks', async () => {
  const { fake, inference } = await refusing({ provider: 'openai', status: 400 });
  const blanks = ' '.repeat(400);
  for (const truncate of ['END', 'START'])
    await embed(inference, [`${blanks}a few words${blanks}`], truncate);
  const accepted = fake.received
    .flatMap(({ body }) => body.input as string[])
    .filter((text) => text.length <= CHARS_MAX);
  assert.equal(accepted.length, 4);
  for (const text of accepted) if (text !== PROBE) assert.match(text, /a few words/);
});

test('never cuts between the halves of a character', async () => {
  const { fake, inference } = await refusing({ provider: 'openai', status: 422 });
  for (const truncate of ['END', 'START'])
    for (const text of ['\u{1f600}'.repeat(501), `a${'\u{1f600}'.repeat(501)}`])
      await embed(inference, [text], truncate);
  const sent = fake.received.flatMap(({ body }) => body.input as string[]);
  assert.ok(sent.every((text) => text.isWellFormed() && !text.includes('\ufffd')));
});

test('names the text that the provider refuses however short it is cut, with its reason', async () => {
  const { inference } = await refusing({ provider: 'openai', status: 400 });
  const inputs = ['a', 'b'.repeat(100), `${FORBIDDEN} text`, 'c'];
  await assert.rejects(embed(inference, inputs, 'END'), (error) => {
    assert.ok(error instanceof InputTooLong);
    assert.equal(error.position, 2);
    assert.match(error.message, /^Input 2 is refused by model 'm': .* status 400: at most 75 tokens/);
    return true;
  });
});

test('names the text that the provider refuses where none may be cut, whatever its status, and cuts none', async () => {
  for (const [provider, status] of [
    ['tei', 413],
    ['openai', 400],
    ['openai', 422],
  ] as const) {
    const { fake, inference } = await refusing({ provider, status });
    for (const [text, truncate] of [
      ['x'.repeat(1_000), 'NONE'],
      [FORBIDDEN, 'END'],
    ] as const)
      for (const inputs of [['a', 'b', text], ['a', text, 'c', 'd'], [text]]) {
        const at = inputs.indexOf(text);
        await assert.rejects(embed(inference, inputs, truncate), (error) => {
          assert.ok(error instanceof InputTooLong);
          assert.deepEqual([error.position, error.status], [at, 400]);
          assert.match(error.message, /is refused by model 'm': .* at most 75 tokens/);
          return true;
        });
        const sent = fake.received.splice(0).flatMap(({ body }) => (body.inputs ?? body.input) as string[]);
        assert.ok(sent.every((each) => each === PROBE || inputs.includes(each.slice('P: '.length))));
      }
  }
});

test('takes a batch in halves that is refused for all of its texts together', async () => {
  const fake = await fakeProvider((received, response) => {
    const inputs = received.body.input as readonly string[];
    if (inputs.length > 3) return void response.writeHead(422).end('{"error":"at most 3 texts"}');
    json({ data: inputs.map((text, index) => ({ index, embedding: [text.length, 1] })) })(received, response);
  });
  after(() => fake.close());
  const setting = { provider: 'openai', url: fake.url, dimensions: 2, normalize: false, max_tokens: 512 };
  const texts = Array.from({ length: 10 }, (_, at) => 'x'.repeat(at + 1));
  const lengths = texts.map(({ length }) => length);
  for (const truncate of ['END', 'NONE'])
    assert.deepEqual(await embed(inferenceOverHttp(setting).inference, texts, truncate), lengths);
});

test('sends a refused query that cannot be cut only once', async () => {
  const { fake, inference } = await refusing({ provider: 'openai', status: 413 });
  const model = embedModel(inference, 'm');
  for (const [text, truncate] of [
    [FORBIDDEN, 'END'],
    ['x'.repeat(1_000), 'NONE'],
  ] as const) {
    const parameters = readEmbedParameters(model, { truncate, input_type: 'query' });
    await assert.rejects(
      inference.embed({ model, inputs: [text], parameters }),
      (error) =>
        error instanceof Fault && error.status === 400 && error.message.includes('at most 75 tokens'),
    );
  }
  assert.equal(fake.received.length, 2);
});

test('blames no text while the provider refuses everything', async () => {
  const fake = await fakeProvider((_, response) => {
    response.writeHead(400);
    response.end(JSON.stringify({ error: 'the account is exhausted' }));
  });
  after(() => fake.close());
  const { inference } = inferenceOverHttp({
    provider: 'openai',
    url: fake.url,
    dimensions: 2,
    max_tokens: 512,
  });
  const refused = embed(inference, ['x'.repeat(1_000), 'y'.repeat(1_000)], 'END');
  await assert.rejects(
    refused,
    (error) => error instanceof Fault && !(error instanceof InputTooLong) && /exhausted/.test(error.message),
  );
  assert.equal(fake.received.length, 2);
});

test('gives a text the vector that it gets alone, whatever is refused beside it', async () => {
  // Of some texts, the provider makes many more tokens than of others that are as long.
  const fake = await fakeProvider((received, response) => {
    const inputs = received.body.input as readonly string[];
    if (inputs.some((text) => text.length > (text.includes('dense') ? 100 : 500))) {
      response.writeHead(400).end();
      return;
    }
    const data = inputs.map((text, index) => ({ index, embedding: [text.length, 1] }));
    json({ data })(received, response);
  });
  after(() => fake.close());
  const setting = { provider: 'openai', url: fake.url, dimensions: 2, normalize: false, max_tokens: 512 };
  const inference = () => inferenceOverHttp(setting).inference;
  const texts = Array.from({ length: 12 }, (_, at) =>
    `${at} ${at % 3 === 0 ? 'dense ' : ''}`.padEnd(120 + 70 * at, 'x'),
  );
  const alone: (number | undefined)[] = [];
  for (const text of texts) alone.push(...(await embed(inference(), [text], 'END')));
  assert.deepEqual(await embed(inference(), texts, 'END'), alone);
  assert.equal(alone[4], 400);
});

test('sends each text of a batch whole by itself at most once, and cut ones together', async () => {
  const { fake, inference } = await refusing({ provider: 'openai', status: 400 });
  const texts = (count: number, chars: number) =>
    Array.from({ length: count }, (_, at) => `${at}`.padEnd(chars, 'x'));
  await embed(inference, [...texts(16, 200), ...texts(16, 500)], 'END');
  const sent = fake.received.map(({ body }) => body.input as string[]);
  const whole = sent.filter((each) => each.some((text) => text.length > 500));
  const alone = whole.filter(({ length }) => length === 1).flat();
  assert.deepEqual([alone.length, new Set(alone).size], [16, 16]);
  // The batch, and ever smaller halves with the first long text.
  assert.equal(whole.length - alone.length, 5);
  // The probe, the short texts, and the cut ones.
  assert.equal(sent.length - whole.length, 3);
});

/** A reranking provider that takes documents of some characters only, and no query or document with a certain word. */
async function refusingPairs(provider: 'cohere' | 'tei', status: number) {
  const fake = await fakeProvider((received, response) => {
    const documents = (received.body.documents ?? received.body.texts) as readonly string[];
    const isRefused = (text: string) => text.length > CHARS_MAX || text.includes(FORBIDDEN);
    if (documents.some(isRefused) || isRefused(String(received.body.query))) {
      response.writeHead(status);
      response.end(JSON.stringify({ error: 'at most 75 tokens, but 80 were given' }));
      return;
    }
    const scores = documents.map((text) => text.length / 1_000);
    const answer =
      provider === 'tei'
        ? scores.map((score, index) => ({ index, score }))
        : { results: scores.map((relevance_score, index) => ({ index, relevance_score })) };
    json(answer)(received, response);
  });
  after(() => fake.close());
  return { fake, ...inferenceOverHttp({ provider, type: 'rerank', url: fake.url, max_tokens: 512 }) };
}

function rerank(inference: Inference, documents: readonly string[], truncate: string, query = 'q') {
  const model = rerankModel(inference, 'm');
  return inference.rerank({
    ...{ model, query, documents },
    parameters: readRerankParameters(model, { truncate }),
  });
}

test('cuts the documents that a reranking provider refuses until it takes them, and no others', async () => {
  for (const provider of ['cohere', 'tei'] as const) {
    const { inference } = await refusingPairs(provider, 413);
    const inputs = ['a', 'x'.repeat(1_000), 'b'.repeat(200), `y ${'y'.repeat(398)}`];
    assert.deepEqual((await rerank(inference, inputs, 'END')).scores, [0.001, 0.25, 0.2, 0.2]);
    assert.deepEqual((await rerank(inference, inputs.slice(1, 2), 'END')).scores, [0.25]);
  }
});

test('names the document that a reranking provider refuses, and cuts none that must not be truncated', async () => {
  for (const status of [400, 422]) {
    const { fake, inference } = await refusingPairs('cohere', status);
    for (const [text, truncate] of [
      ['x'.repeat(1_000), 'NONE'],
      [FORBIDDEN, 'END'],
    ] as const) {
      const inputs = ['a', 'b', text, 'c'];
      await assert.rejects(rerank(inference, inputs, truncate), (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.status, 400);
        assert.match(error.message, /^Document 2 is refused by model 'm': .* at most 75 tokens/);
        return true;
      });
      const sent = fake.received.splice(0).flatMap(({ body }) => body.documents as string[]);
      assert.ok(sent.every((each) => each === 'text' || inputs.includes(each)));
    }
  }
});

test('blames no document while the provider refuses the query', async () => {
  const { fake, inference } = await refusingPairs('cohere', 400);
  const refused = rerank(inference, ['a', 'x'.repeat(200)], 'END', FORBIDDEN);
  await assert.rejects(refused, /^Fault: Model 'm' refused the input: .* at most 75 tokens/);
  assert.equal(fake.received.length, 2);
  await assert.rejects(rerank(inference, [FORBIDDEN], 'END'), /Model 'm' refused the input/);
  assert.equal(fake.received.length, 3);
});
