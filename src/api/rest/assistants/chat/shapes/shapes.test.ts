// The shapes of replies that official clients read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Answer, Passage } from '../../../../../app/assistants/chat/answer-model.ts';
import type { AnswerPart } from '../../../../../app/assistants/chat/chat-provider.ts';
import { asJsonAnswer } from '../../../../../app/assistants/chat/extractive/json-answer.ts';
import { chatStream, completionStream } from '../stream-answer.ts';
import { type ChatReply, chatBody, usageOf } from './chat.ts';
import { characterPosition, citationsOf } from './citations.ts';
import { completionBody, completionCalls, MarkWriter } from './completions.ts';
import { snippetShape } from './context.ts';
import { eventLine, piecesOf } from './event-stream.ts';

const FILE = { id: 'f1', name: 'dam.pdf' };
const PASSAGE: Passage = {
  chunk: {
    fileId: 'f1',
    number: 0,
    text: 'Built 1911.',
    start: 0,
    headings: [],
    pageStarts: [{ page: 3, start: 0 }],
  },
  text: 'Built 1911.',
  start: 0,
  end: 11,
};
const ANSWER: Answer = {
  content: 'It says 👍: Built 1911. More.',
  quotes: [{ position: 23, passages: [PASSAGE] }],
};
const fileOf = (id: string) => (id === FILE.id ? FILE : undefined);
const CITED = { fileOf, highlightOf: () => null };
const highlights = { prepare: async () => {} };

const REPLY: ChatReply = {
  id: 'a'.repeat(32),
  model: 'extractive (gpt-4o)',
  content: ANSWER.content,
  citations: citationsOf(ANSWER, CITED),
  usage: usageOf({ promptTokens: 12, completionTokens: 5 }),
  finishReason: 'stop',
  contextSnippetCount: 2,
};

test('names the position after the quoted words, the file and the pages in a citation', () => {
  const place = [...'It says 👍: Built 1911.'].length;
  assert.deepEqual(REPLY.citations, [
    { position: place, references: [{ file: FILE, pages: [3], highlight: null }] },
  ]);
  const highlight = { type: 'text', content: 'Built 1911.', regions: [] } as const;
  const [cited] = citationsOf(ANSWER, { ...CITED, highlightOf: () => highlight });
  assert.deepEqual(cited?.references[0]?.highlight, highlight);
});

test('does not cite deleted files, and gives no pages where there are none', () => {
  assert.deepEqual(citationsOf(ANSWER, { ...CITED, fileOf: () => undefined }), []);
  const { pageStarts: _, ...chunk } = PASSAGE.chunk;
  const without = { ...ANSWER, quotes: [{ position: 23, passages: [{ ...PASSAGE, chunk }] as const }] };
  assert.deepEqual(citationsOf(without, CITED)[0]?.references, [{ file: FILE, highlight: null }]);
});

test('converts positions to code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, seed) => {
      const characters = [...text];
      const place = seed % (characters.length + 1);
      assert.equal(characterPosition(text, characters.slice(0, place).join('').length), place);
    }),
    { seed: 1 },
  );
});

test('gives a whole reply the fields that clients require', () => {
  assert.deepEqual(chatBody(REPLY), {
    id: REPLY.id,
    finish_reason: 'stop',
    message: { role: 'assistant', content: ANSWER.content },
    model: 'extractive (gpt-4o)',
    citations: REPLY.citations,
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    context_snippet_count: 2,
  });
  const { contextSnippetCount: _, ...old } = REPLY;
  assert.ok(!('context_snippet_count' in chatBody(old)));
});

const head = { id: REPLY.id, model: REPLY.model, contextSnippetCount: 2 };
const COMPLETION = { ...head, created: 1_767_225_600, fingerprint: 'fp_1' };
const shownReason = (reason: string) => (reason === 'tool_calls' ? 'function_call' : 'stop');

async function* partsOfAnswer(finishReason: 'stop' | 'tool_calls' = 'stop'): AsyncGenerator<AnswerPart> {
  yield { type: 'text', text: 'It says 👍: ' };
  yield { type: 'text', text: 'Built 1911.' };
  yield { type: 'quote', passages: [PASSAGE] };
  yield { type: 'text', text: ' More.' };
  yield { type: 'end', finishReason, usage: { promptTokens: 12, completionTokens: 5 } };
}

function eventsIn(lines: readonly string[]): unknown[] {
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

test('starts a stream with its start event, ends it with its end event, and cites after the marked text', async () => {
  const { id, model } = REPLY;
  const lines = await Array.fromAsync(
    chatStream(partsOfAnswer(), { head, shownReason, highlights, ...CITED }),
  );
  assert.deepEqual(eventsIn(lines), [
    { type: 'message_start', id, model, role: 'assistant', context_snippet_count: 2 },
    { type: 'content_chunk', id, model, delta: { content: 'It says 👍: ' } },
    { type: 'content_chunk', id, model, delta: { content: 'Built 1911.' } },
    { type: 'citation', id, model, citation: REPLY.citations[0] },
    { type: 'content_chunk', id, model, delta: { content: ' More.' } },
    { type: 'message_end', id, model, finish_reason: 'stop', usage: REPLY.usage },
  ]);
});

test('sends nothing before the first part, and ends the work when the reader stops', async () => {
  const fails = async function* (): AsyncGenerator<AnswerPart> {
    yield* [];
    throw new Error('no model');
  };
  await assert.rejects(chatStream(fails(), { head, shownReason, highlights, ...CITED }).next(), /no model/);
  let isEnded = false;
  const endless = async function* (): AsyncGenerator<AnswerPart> {
    try {
      for (;;) yield { type: 'text', text: 'on and on ' };
    } finally {
      isEnded = true;
    }
  };
  for await (const _ of chatStream(endless(), { head, shownReason, highlights, ...CITED })) break;
  assert.ok(isEnded);
});

test('writes an event as one line for every line reader', () => {
  const line = eventLine({ text: 'a\nb\r\u0085c\u2028d\u2029e\u000b\f' });
  assert.ok(line.startsWith('data: ') && line.endsWith('}\n\n'));
  assert.equal(line.trimEnd().split(/[\n\r\u0085\u2028\u2029\v\f]/).length, 1);
  assert.deepEqual(JSON.parse(line.slice(6)), { text: 'a\nb\r\u0085c\u2028d\u2029e\u000b\f' });
});

test('splits a text into short pieces without cutting a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '👍', 'word '), maxLength: 300 }), (text) => {
      const pieces = [...piecesOf(text)];
      assert.equal(pieces.join(''), text);
      assert.ok(pieces.every((piece) => piece.length <= 97 && piece.isWellFormed() && piece !== ''));
    }),
    { seed: 2 },
  );
});

test('marks sources in the text of completions and lists them', async () => {
  const content = async (nameOf: (id: string) => string | undefined): Promise<string> => {
    const marks = new MarkWriter(nameOf);
    const lines = await Array.fromAsync(
      completionStream(partsOfAnswer(), { head: COMPLETION, shownReason, marks, includeUsage: false }),
    );
    const texts = eventsIn(lines).map((event) => {
      const [choice] = (event as { readonly choices: readonly { delta: { content?: string } }[] }).choices;
      return choice?.delta.content ?? '';
    });
    return texts.join('');
  };
  assert.equal(
    await content(() => 'dam\n.pdf'),
    'It says 👍: Built 1911. [1, pp. 3] More.\n\nReferences:\n1. dam .pdf',
  );
  assert.equal(await content(() => undefined), ANSWER.content);
});

test('returns completions in the OpenAI shape, whole and streamed', async () => {
  const { usage } = REPLY;
  const reply = { usage, content: 'Yes.', refusal: '', toolCalls: [], finishReason: 'stop' } as const;
  const { contextSnippetCount: _, fingerprint, ...fields } = COMPLETION;
  const shared = { ...fields, system_fingerprint: fingerprint };
  assert.deepEqual(completionBody(COMPLETION, reply), {
    ...shared,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Yes.', refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
    usage,
  });
  const marks = new MarkWriter(() => undefined);
  const options = { head: COMPLETION, shownReason, marks, includeUsage: true };
  const lines = await Array.fromAsync(completionStream(partsOfAnswer('tool_calls'), options));
  const events = eventsIn(lines);
  const chunk = { ...shared, object: 'chat.completion.chunk' };
  const choice = (delta: object, finish: string | null = null) => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  });
  assert.deepEqual(events.at(0), choice({ role: 'assistant' }));
  assert.deepEqual(events.at(1), choice({ content: 'It says 👍: ' }));
  assert.deepEqual(events.at(-2), choice({}, 'function_call'));
  assert.deepEqual(events.at(-1), { ...chunk, choices: [], usage });
});

test('shows calls of tools in completions, with null for a text that is not there', () => {
  const calls = [{ index: 0, id: 'call_1', name: 'look_up', arguments: '{"name":"heron"}' }];
  const { usage } = REPLY;
  const reply = { usage, content: '', refusal: '', toolCalls: calls, finishReason: 'tool_calls' } as const;
  const whole = JSON.parse(JSON.stringify(completionBody(COMPLETION, reply)));
  const shown = {
    id: 'call_1',
    type: 'function',
    function: { name: 'look_up', arguments: '{"name":"heron"}' },
  };
  assert.deepEqual(whole.choices[0].message, {
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [shown],
  });
  const streamed = JSON.parse(JSON.stringify(completionCalls(COMPLETION, calls)));
  assert.deepEqual(streamed.choices[0].delta, { tool_calls: [{ index: 0, ...shown }] });
});

test('names types of snippets that clients know, with pages where there can be some', () => {
  const snippet = { content: 'x', score: 0.5, file: FILE, pages: [1, 2], images: [] } as const;
  const shown = (type: 'docx' | 'csv') => snippetShape({ ...snippet, type }, { binary: true });
  const reference = { type: 'doc_x', file: FILE, pages: [1, 2] };
  assert.deepEqual(shown('docx'), { type: 'text', content: 'x', score: 0.5, reference });
  assert.deepEqual(shown('csv'), { ...shown('docx'), reference: { type: 'text', file: FILE } });
});

test('gives a snippet with pictures blocks, or only captions without binary content', () => {
  const image = { page: 1, caption: 'A dam', mimeType: 'image/png', bytes: Buffer.from('png') };
  const snippet = { content: 'x', score: 0.5, type: 'pdf', file: FILE, pages: [1], images: [image] } as const;
  const blocks = (data: object | null) => [
    { type: 'text', text: 'x' },
    { type: 'image', caption: 'A dam', image: data },
  ];
  const reference = { type: 'pdf', file: FILE, pages: [1] };
  const whole = { type: 'base64', mime_type: 'image/png', data: 'cG5n' };
  for (const [binary, data] of [[true, whole] as const, [false, null] as const]) {
    const expected = { type: 'multimodal', content: blocks(data), score: 0.5, reference };
    assert.deepEqual(snippetShape(snippet, { binary }), expected);
  }
});

test('returns a JSON answer as an object with citations after the same words', () => {
  const tricky = {
    content: 'He said "no"\n👍. More',
    quotes: [{ position: 16, passages: [PASSAGE] as const }],
  };
  const { content, quotes } = asJsonAnswer(tricky);
  assert.equal(JSON.parse(content).answer, tricky.content);
  const before = content.slice(0, quotes[0]?.position);
  assert.equal(JSON.parse(`${before}"}`).answer, tricky.content.slice(0, 16));
});
