// The responses of the chat and evaluation endpoints, in their described shapes and by version.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import type { AnswerPart } from '../../../../app/assistants/chat/chat-provider.ts';
import type { ChatService } from '../../../../app/assistants/chat/chat-service.ts';
import { asJsonAnswer } from '../../../../app/assistants/chat/extractive/json-answer.ts';
import { countWords } from '../../../../app/assistants/chat/testing/questions.ts';
import { partsOf } from '../../../../app/assistants/chat/whole-answer.ts';
import { wordJudge } from '../../../../app/assistants/evaluation/word-judge.ts';
import { mintProjectAccess } from '../../../../domain/access.ts';
import type { RequestedVersion } from '../../../../domain/api-version.ts';
import type { AssistantFile } from '../../../../domain/assistants/file.ts';
import { Fault, fault } from '../../../../domain/faults.ts';
import { faultBody } from '../../../fault-body.ts';
import type { AssistantCall, AssistantEndpoint } from '../assistant-endpoint.ts';
import { evaluateAlignment } from '../evaluation/evaluate-alignment.ts';
import { chat } from './chat.ts';
import { chatCompletions } from './chat-completions.ts';
import { retrieveContext } from './retrieve-context.ts';

const FILE: AssistantFile = {
  assistantId: 'a',
  id: 'f1',
  name: 'dam.pdf',
  metadata: null,
  size: 9,
  sha256: '',
  multimodal: false,
  state: 'Available',
  percent: 100,
  error: null,
  revisionId: 'r1',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const TEXT = 'Built in 1911.';
const REGION = { page: 3, x: 50, y: 131, width: 80, height: 12 };
const PASSAGE = {
  chunk: { fileId: 'f1', number: 0, text: TEXT, start: 0, headings: [], pageStarts: [{ page: 3, start: 0 }] },
  text: TEXT,
  start: 0,
  end: TEXT.length,
};

async function* parts(): AsyncGenerator<AnswerPart> {
  yield { type: 'text', text: TEXT };
  yield { type: 'quote', passages: [PASSAGE] };
  yield { type: 'end', finishReason: 'tool_calls', usage: { promptTokens: 7, completionTokens: 3 } };
}

const service: ChatService = {
  context: async () => ({
    id: '1',
    tokens: 5,
    snippets: [{ content: TEXT, score: 0.5, type: 'pdf', file: FILE, pages: [3], images: [] }],
  }),
  models: async () => [],
  direct: async () => undefined,
  answer: async (_, { model = 'gpt-4o' }) => ({
    id: 'c'.repeat(32),
    model,
    snippetCount: 1,
    parts: parts(),
    fileOf: (id) => (id === FILE.id ? FILE : undefined),
  }),
};

function callOf(body: unknown, version: RequestedVersion = null): AssistantCall {
  const assistants = {
    ready: async (_: unknown, name: string) => {
      if (name !== 'helper') throw fault('assistant-not-found', { name });
      return { name };
    },
  };
  return {
    access: mintProjectAccess({ organizationId: '', projectId: 'p', principalId: 'k' }),
    version,
    params: { assistant_name: 'helper' },
    query: {},
    body,
    bodyText: JSON.stringify(body) ?? '',
    signal: new AbortController().signal,
    hold: () => undefined,
    services: {
      assistants,
      passages: { regions: async (_: unknown, asked: readonly unknown[]) => asked.map(() => [REGION]) },
      chat: service,
      evaluation: wordJudge(countWords),
    } as unknown as AssistantCall['services'],
  };
}

/** Returns the response after checking it against the endpoint's description. */
async function answer(endpoint: AssistantEndpoint, call: AssistantCall): Promise<Record<string, unknown>> {
  assert.ok(endpoint.kind === 'json' && endpoint.success.schema);
  const reply = await endpoint.handle(call);
  assert.ok(!('content' in reply) && reply.status === 200);
  const body = JSON.parse(reply.jsonText ?? JSON.stringify(reply.body)) as Record<string, unknown>;
  assert.deepEqual([...Compile(endpoint.success.schema).Errors(body)], []);
  return body;
}

const ASKED = { messages: [{ role: 'user', content: 'When?' }] };

test('answers a chat with citations and whole files, and in the shape of older versions', async () => {
  const body = await answer(chat, callOf({ ...ASKED, include_highlights: true }, '2026-07'));
  const [citation] = body.citations as { position: number; references: Record<string, unknown>[] }[];
  assert.equal(citation?.position, TEXT.length);
  assert.deepEqual(citation.references[0]?.highlight, { type: 'text', content: TEXT, regions: [REGION] });
  assert.deepEqual([body.context_snippet_count, body.finish_reason], [1, 'tool_calls']);
  for (const version of ['2025-10', null] as const) {
    const old = await answer(chat, callOf(ASKED, version));
    assert.deepEqual(['context_snippet_count' in old, old.finish_reason], [false, 'function_call']);
  }
});

test('returns completions and context in their shapes', async () => {
  const { choices } = await answer(chatCompletions, callOf(ASKED));
  assert.deepEqual(choices, [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: `${TEXT} [1, pp. 3]\n\nReferences:\n1. dam.pdf`,
        refusal: null,
      },
      finish_reason: 'tool_calls',
      logprobs: null,
    },
  ]);
  const { usage } = await answer(retrieveContext, callOf({ query: 'When?' }));
  assert.deepEqual(usage, { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 });
});

test('answers with valid JSON where a completion must be an object, whole and streamed', async () => {
  const words = asJsonAnswer({ content: TEXT, quotes: [{ position: 8, passages: [PASSAGE] }] });
  const json = async function* (): AsyncGenerator<AnswerPart> {
    yield* partsOf(words);
    yield { type: 'end', finishReason: 'stop', usage: { promptTokens: 7, completionTokens: 3 } };
  };
  const call = (more: object) => {
    const asked = callOf({ ...ASKED, response_format: { type: 'json_object' }, ...more });
    const answerJson: ChatService['answer'] = async (...given) => ({
      ...(await service.answer(...given)),
      parts: json(),
    });
    return { ...asked, services: { ...asked.services, chat: { ...service, answer: answerJson } } };
  };
  const { choices } = await answer(chatCompletions, call({}));
  const [choice] = choices as readonly { readonly message: { readonly content: string } }[];
  assert.deepEqual(JSON.parse(choice?.message.content ?? ''), { answer: TEXT });
  assert.ok(chatCompletions.kind === 'json');
  const streamed = await chatCompletions.handle(call({ stream: true }));
  assert.ok('content' in streamed);
  const texts = (await Array.fromAsync(streamed.content)).map(
    (line) => JSON.parse(String(line).slice('data: '.length)).choices[0].delta.content ?? '',
  );
  assert.deepEqual(JSON.parse(texts.join('')), { answer: TEXT });
});

test('streams both as events', async () => {
  for (const endpoint of [chat, chatCompletions]) {
    const reply = endpoint.kind === 'json' && (await endpoint.handle(callOf({ ...ASKED, stream: true })));
    assert.ok(reply && 'content' in reply);
    assert.match(reply.headers['content-type'] ?? '', /^text\/event-stream/);
    assert.ok((await Array.fromAsync(reply.content)).every((line) => /^data: .*\n\n$/.test(String(line))));
  }
});

test('accepts exactly three texts in an evaluation, and reports errors in a message', async () => {
  const texts = { question: 'When was it built?', answer: 'In 1911.', ground_truth_answer: TEXT };
  const { metrics } = await answer(evaluateAlignment, callOf(texts));
  assert.equal((metrics as { alignment: number }).alignment, 1);
  const { answer: _, ...lacking } = texts;
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [lacking, /missing field `answer`/],
    [{ ...texts, context: 'x' }, /unknown field `context`/],
    [{ ...texts, answer: 5 }, /invalid type/],
    [{ ...texts, answer: ' ' }, /answer must not be empty/],
    [{ ...texts, question: 'x'.repeat(32_001) }, /question must have at most 32000 characters/],
  ];
  for (const [body, message] of wrong) {
    const error = await answer(evaluateAlignment, callOf(body)).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Fault && error.status === 422, String(error));
    assert.deepEqual(Object.keys(faultBody(evaluateAlignment.errors, error)), ['message']);
    assert.match(error.message, message);
  }
});
