// The OpenAI form by OpenAI's own client: chats with assistants and with a language model, embeddings, models, errors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { ChatModelServer, calls, says } from './support/chat-model.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const TOOL: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: { bird: { type: 'string' } } } },
};
const QUESTION: OpenAI.ChatCompletionMessageParam = { role: 'user', content: 'What does the ferry cost?' };

describe("OpenAI's client", () => {
  const model = new ChatModelServer();
  let service: Service;
  let openai: OpenAI;
  const client = (path: string, apiKey = API_KEY) =>
    new OpenAI({ baseURL: `${service.url}${path}`, apiKey, maxRetries: 0 });
  before(async () => {
    model.models = [{ id: 'llama-9', owned_by: 'library' }];
    service = await startService({
      env: {
        PINYON_CHAT_URL: await model.start(),
        PINYON_CHAT_MODELS: JSON.stringify({ 'gpt-4o': 'pinyon-extractive', 'my-model': 'llama-9' }),
      },
    });
    openai = client('/v1');
    const call = async (method: string, path: string, body?: object) =>
      (await service.call(method, path, { body })).body as {
        readonly status?: string;
        readonly files?: readonly { readonly status: string }[];
      };
    await call('POST', '/assistant/assistants', { name: 'guide' });
    await until(async () => (await call('GET', '/assistant/assistants/guide')).status === 'Ready');
    const form = new FormData();
    form.append('file', new Blob(['The ferry costs 12 crowns.']), 'prices.txt');
    const headers = { 'api-key': API_KEY };
    await fetch(`${service.url}/assistant/files/guide`, { method: 'POST', headers, body: form });
    await until(async () => {
      const { files } = await call('GET', '/assistant/files/guide');
      return files?.[0]?.status === 'Available';
    });
  });
  after(async () => {
    await service.dispose();
    await model.stop();
  });

  it('chats with an assistant, by its name as the model or at its own address', async () => {
    const asked = { model: 'assistant/guide', messages: [QUESTION] };
    for (const [at, name] of [
      [openai, 'assistant/guide'],
      [openai, 'guide'],
      [client('/assistant/chat/guide'), 'gpt-4o'],
    ] as const) {
      const { object, created, choices, usage, system_fingerprint } = await at.chat.completions.create({
        ...asked,
        model: name,
      });
      assert.match(
        choices[0]?.message.content ?? '',
        /The ferry costs 12 crowns\. \[1\]\n\nReferences:\n1\. prices\.txt$/,
      );
      assert.deepEqual([object, choices[0]?.finish_reason], ['chat.completion', 'stop']);
      assert.ok(Math.abs(created - Date.now() / 1_000) < 600);
      assert.match(system_fingerprint ?? '', /^fp_/);
      assert.equal(usage?.total_tokens, (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    }
  });

  it('streams, with the usage last when it asks for it', async () => {
    const options = { model: 'assistant/guide', messages: [QUESTION], stream: true as const };
    const chunks = await Array.fromAsync(
      await openai.chat.completions.create({ ...options, stream_options: { include_usage: true } }),
    );
    assert.match(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), /12 crowns/);
    assert.deepEqual([chunks.at(-2)?.choices[0]?.finish_reason, chunks.at(-1)?.choices], ['stop', []]);
    assert.ok((chunks.at(-1)?.usage?.total_tokens ?? 0) > 0);
    const plain = await Array.fromAsync(await openai.chat.completions.create(options));
    assert.ok(plain.every(({ usage }) => !usage));
  });

  it('reads parts of a message and the role developer, and bounds answers', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What does' },
          { type: 'text', text: 'the ferry cost?' },
        ],
      },
    ];
    const answer = await openai.chat.completions.create({
      model: 'assistant/guide',
      messages,
      max_completion_tokens: 4,
    });
    assert.equal(answer.choices[0]?.finish_reason, 'length');
    assert.ok((answer.usage?.completion_tokens ?? 9) <= 4);
  });

  it('has tools called by the model of an assistant, and passes results on', async () => {
    const guide = client('/assistant/chat/guide');
    model.reply = calls('call_1', 'look_up', '{"bird":', '"heron"}');
    const first = await guide.chat.completions.create({
      model: 'my-model',
      messages: [QUESTION],
      tools: [TOOL],
      tool_choice: 'auto',
    });
    const message = first.choices[0]?.message;
    assert.deepEqual([first.choices[0]?.finish_reason, message?.content], ['tool_calls', null]);
    const [call] = message?.tool_calls ?? [];
    assert.ok(message !== undefined && call?.type === 'function');
    assert.deepEqual(
      [call.id, call.function.name, call.function.arguments],
      ['call_1', 'look_up', '{"bird":"heron"}'],
    );
    assert.deepEqual(
      [model.asked.at(-1)?.body.tools, model.asked.at(-1)?.body.tool_choice],
      [[TOOL], 'auto'],
    );
    model.reply = says('It eats fish [1].');
    const second = await guide.chat.completions.create({
      model: 'my-model',
      messages: [QUESTION, message, { role: 'tool', tool_call_id: call.id, content: 'fish' }],
      tools: [TOOL],
    });
    assert.match(second.choices[0]?.message.content ?? '', /^It eats fish \[1\]\./);
    const sent = model.asked.at(-1)?.body.messages ?? [];
    assert.deepEqual(
      sent.slice(-2).map(({ role, tool_call_id, tool_calls }) => [role, tool_call_id ?? tool_calls?.length]),
      [
        ['assistant', 1],
        ['tool', 'call_1'],
      ],
    );
  });

  it('asks a language model of the settings or of its server without files', async () => {
    model.reply = says('Hello ', 'there.');
    for (const name of ['my-model', 'llama-9']) {
      const answer: OpenAI.ChatCompletion = await openai.chat.completions.create({
        model: name,
        messages: [QUESTION],
        max_tokens: 50,
        response_format: { type: 'text' },
      });
      assert.deepEqual([answer.model, answer.choices[0]?.message.content], [name, 'Hello there.']);
      const { body } = model.asked.at(-1) ?? {};
      assert.deepEqual([body?.model, body?.messages, body?.max_tokens], ['llama-9', [QUESTION], 50]);
    }
    model.reply = says('{"cost":12}');
    const json = await openai.chat.completions.create({
      model: 'my-model',
      messages: [QUESTION],
      response_format: { type: 'json_object' },
    });
    assert.equal(json.choices[0]?.message.content, '{"cost":12}');
    assert.deepEqual(model.asked.at(-1)?.body.response_format, { type: 'json_object' });
  });

  it('embeds texts and lists of tokens, in both encodings and dimensions that the model has', async () => {
    const [a, b] = ['The heron eats fish.', 'A mole digs.'];
    const embed = (input: string[] | number[][], more: object = {}) =>
      openai.embeddings.create({ model: 'llama-text-embed-v2', input, dimensions: 512, ...more });
    const packed = await embed([a, b]);
    const plain = await embed([a, b], { encoding_format: 'float' });
    assert.deepEqual(
      [packed.data.length, packed.data[1]?.index, packed.data[0]?.embedding.length],
      [2, 1, 512],
    );
    assert.deepEqual(packed.data[0]?.embedding.map(Math.fround), plain.data[0]?.embedding.map(Math.fround));
    assert.ok(plain.usage.total_tokens > 0);
    // "The heron eats fish." in cl100k_base
    const tokens = await embed([[791, 1077, 263, 50777, 7795, 13]], { encoding_format: 'float' });
    assert.deepEqual(tokens.data[0]?.embedding, plain.data[0]?.embedding);
    const many = await embed(Array.from({ length: 200 }, (_, at) => `Text ${at}`));
    assert.equal(many.data.length, 200);
  });

  it('lists assistants, language models and embedding models, and describes one', async () => {
    const ids = (await Array.fromAsync(openai.models.list())).map(({ id }) => id);
    for (const id of ['assistant/guide', 'my-model', 'llama-9', 'llama-text-embed-v2', 'builtin-english']) {
      assert.ok(ids.includes(id), id);
    }
    assert.ok(!ids.includes('gpt-4o') && !ids.includes('pinyon-extractive'));
    const { id, owned_by } = await openai.models.retrieve('assistant/guide');
    assert.deepEqual([id, owned_by], ['assistant/guide', 'assistant']);
  });

  it('gets the errors that it knows', async () => {
    const asked = { model: 'assistant/guide', messages: [QUESTION] };
    const chat = (fields: object, at = openai) => at.chat.completions.create({ ...asked, ...fields });
    await assert.rejects(chat({}, client('/v1', 'wrong')), AuthenticationError);
    await assert.rejects(
      chat({ model: 'gpt-9' }),
      (error) => error instanceof NotFoundError && error.code === 'model_not_found',
    );
    await assert.rejects(openai.models.retrieve('gpt-9'), NotFoundError);
    await assert.rejects(openai.embeddings.create({ model: 'none', input: 'a' }), NotFoundError);
    for (const [fields, message] of [
      [{ messages: [] }, /at least 1 message/],
      [{ n: 2 }, /n is not supported/],
      [{ logprobs: true }, /logprobs is not supported/],
      [{ tools: [TOOL] }, /tools needs a language model/],
      [
        { response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
        /json_schema needs a language model/,
      ],
      [{ response_format: { type: 'xml' } }, /response_format\.type must be/],
      [{ max_tokens: 0 }, /max_tokens must be an integer from 1/],
      [
        {
          messages: [
            { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.org/a.png' } }] },
          ],
        },
        /picture/,
      ],
    ] as const) {
      await assert.rejects(
        chat(fields),
        (error) =>
          error instanceof BadRequestError &&
          message.test(error.message) &&
          error.type === 'invalid_request_error',
        String(message),
      );
    }
    model.reply = (response) => void response.writeHead(429, { 'retry-after': '60' }).end();
    await assert.rejects(chat({ model: 'my-model' }), RateLimitError);
  });
});
