// A streamed answer in the OpenAI form that fails midway says so, in the form that OpenAI's clients read.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import OpenAI, { APIError } from 'openai';
import type { OpenAiServices } from '../../api/rest/openai/openai-endpoint.ts';
import { openAiEndpoints } from '../../api/rest/openai-endpoints.ts';
import { eventually } from '../../app/indexes/testing/control-plane.ts';
import { fault } from '../../domain/faults.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { KEY_A, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const SECRET = 'secret internal detail';
const UNAVAILABLE = fault('chat-unavailable', { model: 'm', reason: 'it has stopped' });
const ASKED = { model: 'm', messages: [{ role: 'user', content: 'Is it so?' }], stream: true } as const;

describe('a stream in the OpenAI form', () => {
  let failure: unknown;
  const parts = async function* () {
    yield { type: 'text', text: 'Yes, ' };
    throw failure;
  };
  const services = {
    chat: { direct: async () => ({ id: 'c', model: 'm', fileOf: () => undefined, parts: parts() }) },
    inference: testInference(),
  } as unknown as OpenAiServices;
  let server: TestServer;
  before(async () => {
    const settings = { drainSeconds: 1 };
    server = await startTestServer({ settings, openai: openAiEndpoints, openaiServices: services });
  });
  after(() => server.server.stop());
  beforeEach(() => server.logLines.splice(0));

  const ask = async () => {
    const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
    const body = JSON.stringify(ASKED);
    const answer = await fetch(`${server.base}/v1/chat/completions`, { method: 'POST', headers, body });
    return { status: answer.status, events: (await answer.text()).split('\n\n').slice(0, -1) };
  };
  /** The line of the request, which is logged once its response has closed, and those of troubles. */
  const logged = async () => {
    await eventually(() => server.logLines.some((line) => line.includes('"msg":"request"')));
    const lines = server.logLines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    return {
      request: lines.find(({ msg }) => msg === 'request'),
      troubles: lines.filter(({ msg }) => msg === 'request failed'),
    };
  };

  it('ends with an error event where the server knows why, without the mark of a whole answer', async () => {
    failure = UNAVAILABLE;
    const { status, events } = await ask();
    assert.equal(status, 200);
    const { message } = UNAVAILABLE;
    const error = { message, type: 'server_error', param: null, code: null };
    assert.equal(events.at(-1), `data: ${JSON.stringify({ error })}`);
    assert.match(events.join(), /"content":"Yes, "/);
    assert.doesNotMatch(events.join(), /\[DONE\]|finish_reason":"/);
    const { request, troubles } = await logged();
    assert.equal(request?.refusal, 'chat-unavailable');
    assert.deepEqual(troubles, []);
  });

  it('tells nothing of an unexpected error, which is logged as that of any other request', async () => {
    failure = new Error(SECRET);
    const { events } = await ask();
    const { error } = JSON.parse(events.at(-1)?.replace('data: ', '') ?? '') as {
      readonly error: { readonly type: string; readonly message: string };
    };
    assert.equal(error.type, 'server_error');
    assert.doesNotMatch(events.join(), new RegExp(SECRET));
    const { request, troubles } = await logged();
    assert.equal(request?.refusal, 'internal');
    assert.equal(troubles[0]?.requestId, request?.requestId);
    assert.match(JSON.stringify(troubles), new RegExp(SECRET));
  });

  it("is an error of OpenAI's client, with the message", async () => {
    failure = UNAVAILABLE;
    const openai = new OpenAI({ baseURL: `${server.base}/v1`, apiKey: KEY_A, maxRetries: 0 });
    const stream = await openai.chat.completions.create({ ...ASKED, messages: [...ASKED.messages] });
    let text = '';
    const read = async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    };
    await assert.rejects(read(), (error: unknown) => {
      assert.ok(error instanceof APIError);
      assert.ok(error.message.includes(UNAVAILABLE.message), error.message);
      return true;
    });
    assert.equal(text, 'Yes, ');
  });
});
