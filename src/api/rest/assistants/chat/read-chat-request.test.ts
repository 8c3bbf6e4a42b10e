// Requests to chats and context: fields, defaults and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestedVersion } from '../../../../domain/api-version.ts';
import { readChat, readCompletion, readContext } from './read-chat-request.ts';

const { signal } = new AbortController();
const MESSAGES = [{ role: 'user', content: 'What?' }];
const call = (body: unknown, version: RequestedVersion = null) => ({ body, version, signal });
const chat = (fields: object, version?: RequestedVersion) =>
  readChat(call({ messages: MESSAGES, ...fields }, version));

const REFUSED: readonly (readonly [body: unknown, message: RegExp])[] = [
  [undefined, /must be a JSON object/],
  [[], /must be a JSON object/],
  [{}, /^Must have at least 1 message/],
  [{ messages: null }, /^Must have at least 1 message/],
  [{ messages: [] }, /^Must have at least 1 message/],
  [{ messages: 'What?' }, /messages must be an array/],
  [{ messages: [5] }, /messages\[0\] must be an object/],
  [{ messages: [{ role: 'poet', content: 'x' }] }, /messages\[0\]\.role must be one of user/],
  [{ messages: [...MESSAGES, { role: 'user', content: ' ' }] }, /messages\[1\]\.content must be text/],
  [{ messages: [{ role: 'user' }] }, /content must be text/],
];

const REFUSED_FIELDS: readonly (readonly [fields: object, message: RegExp])[] = [
  [{ model: 5 }, /model must be a string/],
  [{ temperature: 3 }, /temperature must be a number from 0 to 2/],
  [{ temperature: -0.1 }, /temperature/],
  [{ temperature: '1' }, /temperature/],
  [{ stream: 'yes' }, /stream must be a boolean/],
  [{ json_response: true, stream: true }, /json_response is not available with stream/],
  [{ include_highlights: 1 }, /include_highlights must be a boolean/],
  [{ filter: { genre: ['a'] } }, /illegal condition/],
  [{ filter: 'x' }, /filter must be an object/],
  [{ context_options: [] }, /context_options must be an object/],
  [{ context_options: { top_k: 100 } }, /top_k must be an integer from 1 to 64/],
  [{ context_options: { top_k: 0 } }, /top_k/],
  [{ context_options: { snippet_size: 3 } }, /snippet_size must be an integer from 512 to 8192/],
  [{ context_options: { snippet_size: 8193 } }, /snippet_size/],
  [
    { context_options: { multimodal: false, include_binary_content: true } },
    /include_binary_content is only available with multimodal/,
  ],
];

test('requires at least one message, each with a known role and text', () => {
  for (const [body, message] of REFUSED) {
    for (const read of [readChat, readCompletion]) {
      assert.throws(
        () => read(call(body)),
        (error: Error) => message.test(error.message),
      );
    }
  }
  const { request } = readChat(
    call({
      messages: [
        'a',
        { content: 'b' },
        { role: 'Assistant', content: 'c' },
        { role: 'system', content: 'd' },
      ],
    }),
  );
  assert.deepEqual(
    request.messages.map(({ role, content }) => `${role} ${content}`),
    ['user a', 'user b', 'assistant c', 'system d'],
  );
});

test('refuses fields out of bounds by name', () => {
  for (const [fields, message] of REFUSED_FIELDS) assert.throws(() => chat(fields), message);
});

test('applies the defaults of the API to absent fields, null and {}', () => {
  const plain = chat({});
  assert.deepEqual(plain, {
    request: {
      messages: MESSAGES,
      model: undefined,
      temperature: 0,
      filter: null,
      isJson: false,
      topK: 16,
      snippetTokens: 2_048,
      pictures: 'whole',
      signal,
    },
    stream: false,
    highlights: false,
  });
  const nothing = { model: null, temperature: null, filter: null, stream: null, context_options: {} };
  assert.deepEqual(chat(nothing), plain);
});

test('includes the bounds of ranges, and sends pictures whole, as captions or not at all', () => {
  const pictures = (context_options: object, version?: RequestedVersion) =>
    chat({ context_options }, version).request.pictures;
  for (const [top_k, snippet_size] of [
    [1, 512],
    [64, 8_192],
  ]) {
    const { request } = chat({ temperature: 2, context_options: { top_k, snippet_size } });
    assert.deepEqual([request.topK, request.snippetTokens], [top_k, snippet_size]);
  }
  assert.equal(pictures({ include_binary_content: false }), 'captions');
  assert.equal(pictures({ multimodal: false }), 'none');
  assert.equal(pictures({ multimodal: false, include_binary_content: false }), 'none');
  assert.equal(pictures({}, '2025-04'), 'none');
});

test('accepts only the fields of completions in completions', () => {
  const fields = { json_response: true, context_options: { top_k: 100 }, model: 'o4-mini', stream: true };
  const { request, stream } = readCompletion(call({ messages: MESSAGES, ...fields }));
  assert.deepEqual([request.isJson, request.topK, request.model, stream], [false, 16, 'o4-mini', true]);
});

test('accepts a query or messages for context, but not both', () => {
  const context = (body: object, version?: RequestedVersion) => readContext(call(body, version));
  for (const body of [{}, { query: '' }, { query: '', messages: [] }, { query: 'a', messages: MESSAGES }]) {
    assert.throws(() => context(body), /Exactly one of query and messages/);
  }
  assert.throws(() => context({ query: '  ' }), /blank/);
  assert.throws(() => context({ query: 'a', top_k: 65 }), /top_k/);
  assert.deepEqual(context({ query: 'What?' }).messages, MESSAGES);
  assert.deepEqual(context({ query: '', messages: MESSAGES }).messages, MESSAGES);
  assert.deepEqual(context({ query: 'What?', messages: [], multimodal: false }).pictures, 'none');
  assert.deepEqual([context({ query: 'a' }).topK, context({ query: 'a' }, '2025-01').topK], [16, 15]);
});
