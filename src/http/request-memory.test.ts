// Large requests for vectors, and large answers of the base address, share the memory of all bodies and answers until they
// are read: vectors, pictures of assistants, and lists without pages.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assistantEndpoints } from '../api/rest/assistant-endpoints.ts';
import type { AssistantServices } from '../api/rest/assistants/assistant-endpoint.ts';
import { inferenceEndpoints } from '../api/rest/inference-endpoints.ts';
import type { OpenAiServices } from '../api/rest/openai/openai-endpoint.ts';
import { openAiEndpoints } from '../api/rest/openai-endpoints.ts';
import type { Inference } from '../domain/inference/port.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { until } from '../platform/testing/until.ts';
import { untouched } from '../platform/testing/untouched.ts';
import { KEY_A, startTestServer, type TestServer } from './testing/start-test-server.ts';

const MODEL = 'multilingual-e5-large';
const BUDGET_MEBIBYTES = 8;
/** As text in base64, over 5,000 bytes each: of three such lists, two fit. */
const TEXTS = Array.from({ length: 576 }, () => 'text');
const WAITS = 'waits';
/** Further texts of the same answer, in another batch of the model. */
const LAST = TEXTS.slice(0, 100);

describe('the memory of answers with vectors', () => {
  const working = testInference();
  let gate = Promise.withResolvers<void>();
  let waiting = 0;
  let asked = 0;
  let valuesOf: ((inputs: readonly string[]) => readonly Float32Array[]) | undefined;
  const models: Inference = {
    ...working,
    embed: async (request, call) => {
      asked += 1;
      if (request.inputs.includes(WAITS)) {
        waiting += 1;
        await gate.promise;
      }
      if (valuesOf === undefined) return working.embed(request, call);
      const embeddings = valuesOf(request.inputs).map((values) => ({ vectorType: 'dense' as const, values }));
      return { embeddings, totalTokens: 1 };
    },
  };
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      settings: { drainSeconds: 0, bodyMebibytesMax: BUDGET_MEBIBYTES },
      models,
      inference: inferenceEndpoints,
      openai: openAiEndpoints,
      openaiServices: { ...untouched<OpenAiServices>(), inference: models },
    });
  });
  after(() => server.server.stop());

  const post = async (path: string, body: object) => {
    const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
    const answer = await fetch(server.base + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      text: await answer.text(),
    };
  };
  const embeddings = (input: readonly string[], format = 'base64') =>
    post('/v1/embeddings', { model: MODEL, encoding_format: format, input });

  test('is taken while the vectors of the OpenAI form are made, refused where there is none left, and given back', async () => {
    const unfinished = [embeddings([...TEXTS, WAITS]), embeddings([...TEXTS, WAITS])];
    await until(() => waiting === 2, 'both answers, but for their last vectors');
    const refused = await embeddings(TEXTS);
    assert.deepEqual([refused.status, refused.retryAfter], [429, '1']);
    gate.resolve();
    for (const { status, text } of await Promise.all(unfinished)) {
      assert.equal(status, 200);
      const { data } = JSON.parse(text) as { readonly data: readonly { readonly index: number }[] };
      assert.deepEqual(
        data.map(({ index }) => index),
        Array.from({ length: TEXTS.length + 1 }, (_, at) => at),
      );
    }
    await until(async () => (await embeddings(TEXTS)).status === 200, 'the memory');
  });

  test('is taken by texts, too, as long as they are embedded', async () => {
    for (const path of ['/v1/embeddings', '/embed']) {
      gate = Promise.withResolvers();
      waiting = 0;
      const padding = 'x'.repeat(1.9 * 2 ** 20);
      const ask = (text: string) =>
        path === '/embed'
          ? post(path, { model: MODEL, inputs: [{ text }], parameters: { input_type: 'passage' }, padding })
          : post(path, { model: MODEL, input: text, padding });
      const unfinished = Array.from({ length: 4 }, () => ask(WAITS));
      await until(() => waiting === 4, 'four texts');
      assert.equal((await ask('text')).status, 429, path);
      gate.resolve();
      for (const { status } of await Promise.all(unfinished)) assert.equal(status, 200, path);
      await until(async () => (await ask('text')).status === 200, 'the memory');
    }
  });

  test('is given back by a client that leaves while its vectors are made', async () => {
    gate = Promise.withResolvers();
    waiting = 0;
    const leaving = new AbortController();
    const unfinished = [1, 2].map(() =>
      fetch(`${server.base}/v1/embeddings`, {
        method: 'POST',
        headers: { 'api-key': KEY_A, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, encoding_format: 'base64', input: [...TEXTS, WAITS, ...LAST] }),
        signal: leaving.signal,
      }),
    );
    await until(() => waiting === 2, 'both answers, in part');
    leaving.abort();
    for (const each of unfinished) await assert.rejects(each, { name: 'AbortError' });
    gate.resolve();
    await until(async () => (await embeddings(TEXTS)).status === 200, 'the memory');
  });

  test('is never taken for more than half of it: such a request is refused for good, in both forms', async () => {
    valuesOf = (inputs) => inputs.map((_, at) => new Float32Array(8_192).fill(0.1234567 + at / 1_000));
    const inputs = Array.from({ length: 96 }, () => ({ text: 'text' }));
    const message = `The answer would exceed ${(BUDGET_MEBIBYTES * 2 ** 20) / 2} bytes. Ask for less at once.`;
    const body = { model: MODEL, inputs, parameters: { input_type: 'passage' } };
    for (const { status, text } of [await post('/embed', body), await embeddings(TEXTS)]) {
      assert.equal(status, 400);
      assert.equal(
        (JSON.parse(text) as { readonly error: { readonly message: string } }).error.message,
        message,
      );
    }
    assert.equal((await post('/embed', { ...body, inputs: inputs.slice(0, 8) })).status, 200);
  });

  test('is refused for good to a request that exceeds all of it with its answer, before models work if that is known', async () => {
    /** Texts of so many, whose vectors alone take more than is left, and less than half. */
    const textsOf = (count: number) => {
      const text = 'x'.repeat((4.8 * 2 ** 20) / count);
      return Array.from({ length: count }, () => text);
    };
    // In full digits: over 10 bytes each.
    valuesOf = (inputs) => inputs.map(() => new Float32Array(1_024).fill(0.12345679));
    for (const { format, count, works } of [
      { format: 'base64', count: 640, works: false },
      { format: 'float', count: 330, works: true },
    ]) {
      asked = 0;
      const { status, text } = await embeddings(textsOf(count), format);
      assert.equal(status, 400, text);
      assert.match(text, /The request and its answer would exceed 8388608 bytes together\. Ask for less/);
      assert.equal(asked > 0, works, format);
    }
    assert.equal((await embeddings(textsOf(330), 'base64')).status, 200);
  });

  test('refuses an answer that exceeds half of it in any form before models work', async () => {
    asked = 0;
    const { status, text } = await embeddings(Array.from({ length: 2_048 }, () => 'text'));
    assert.equal(status, 400, text);
    assert.equal(asked, 0);
  });
});

describe('the memory of answers of assistants', () => {
  /** Of a file with some metadata, or with a picture. */
  const BYTES = 300_000;
  const PAGES = 100;
  let pagesRead = 0;
  let pictures = 1;
  const file = { id: 'f', name: 'f.pdf', metadata: { text: 'x'.repeat(BYTES) }, percent: 100 };
  const services = {
    assistants: { ready: async () => ({ id: 'a', name: 'a' }) },
    files: {
      list: async () => {
        pagesRead += 1;
        return { items: [file], next: pagesRead < PAGES ? {} : null };
      },
    },
    chat: {
      context: async () => {
        const bytes = new Uint8Array(BYTES);
        const images = Array.from({ length: pictures }, () => ({
          bytes,
          caption: '',
          mimeType: 'image/png',
        }));
        const snippet = { content: '', score: 1, type: 'pdf', pages: [1], file: { ...file, metadata: null } };
        return { id: 'c', snippets: [{ ...snippet, images }], tokens: 1 };
      },
    },
  } as unknown as AssistantServices;
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      settings: { drainSeconds: 0, bodyMebibytesMax: BUDGET_MEBIBYTES },
      assistant: assistantEndpoints,
      assistantServices: services,
    });
  });
  after(() => server.server.stop());
  const ask = async (path: string, body?: object) => {
    const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(server.base + path, { headers, ...sent });
    return { status: answer.status, text: await answer.text() };
  };

  test('bounds lists without pages, of which no more is read than half of it holds', async () => {
    pagesRead = PAGES - 3;
    const { status, text } = await ask('/assistant/files/a');
    assert.equal(status, 200);
    const { files } = JSON.parse(text) as { readonly files: readonly { readonly id: string }[] };
    assert.deepEqual(
      files.map(({ id }) => id),
      ['f', 'f', 'f'],
    );
    pagesRead = 0;
    const refused = await ask('/assistant/files/a');
    assert.equal(refused.status, 400);
    assert.match(refused.text, /would exceed 4194304 bytes\. Ask for less at once/);
    assert.equal(pagesRead, Math.ceil((BUDGET_MEBIBYTES * 2 ** 20) / 2 / BYTES));
  });

  test('bounds contexts with pictures', async () => {
    const context = () => ask('/assistant/chat/a/context', { query: 'x' });
    const { status, text } = await context();
    assert.equal(status, 200);
    assert.equal((JSON.parse(text) as { readonly snippets: readonly unknown[] }).snippets.length, 1);
    pictures = 11;
    assert.equal((await context()).status, 400);
  });
});
