// That replies have the shapes official clients read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Answer, Passage } from '../answer-model.ts';
import { asJsonAnswer } from '../json-answer.ts';
import { type ChatReply, chatBody, chatEvents, usageOf } from './chat.ts';
import { characterPosition, citationsOf } from './citations.ts';
import { completionBody, completionEvents, withMarks } from './completions.ts';
import { contextBody } from './context.ts';
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
const CITED = { fileOf, highlights: false };

const REPLY: ChatReply = {
  id: 'a'.repeat(32),
  model: 'extractive (gpt-4o)',
  content: ANSWER.content,
  citations: citationsOf(ANSWER, CITED),
  usage: usageOf(12, 5),
  finishReason: 'stop',
  contextSnippetCount: 2,
};

test('a citation names the place behind the quoted words, the file and the pages', () => {
  const place = [...'It says 👍: Built 1911.'].length;
  assert.deepEqual(REPLY.citations, [
    { position: place, references: [{ file: FILE, pages: [3], highlight: null }] },
  ]);
  const [cited] = citationsOf(ANSWER, { ...CITED, highlights: true });
  assert.deepEqual(cited?.references[0]?.highlight, { type: 'text', content: 'Built 1911.' });
});

test('a file that is gone is cited no more, and one without pages has none', () => {
  assert.deepEqual(citationsOf(ANSWER, { ...CITED, fileOf: () => undefined }), []);
  const { pageStarts: _, ...chunk } = PASSAGE.chunk;
  const without = { ...ANSWER, quotes: [{ position: 23, passages: [{ ...PASSAGE, chunk }] as const }] };
  assert.deepEqual(citationsOf(without, CITED)[0]?.references, [{ file: FILE, highlight: null }]);
});

test('places in characters are those that counting code points gives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, seed) => {
      const characters = [...text];
      const place = seed % (characters.length + 1);
      assert.equal(characterPosition(text, characters.slice(0, place).join('').length), place);
    }),
    { seed: 1 },
  );
});

test('a whole reply has the fields clients require', () => {
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

test('a stream begins with its start, ends with its end, and cites behind the text it marks', () => {
  const { id, model } = REPLY;
  assert.deepEqual(
    [...chatEvents(REPLY)],
    [
      { type: 'message_start', id, model, role: 'assistant', context_snippet_count: 2 },
      { type: 'content_chunk', id, model, delta: { content: 'It says 👍: Built 1911.' } },
      { type: 'citation', id, model, citation: REPLY.citations[0] },
      { type: 'content_chunk', id, model, delta: { content: ' More.' } },
      { type: 'message_end', id, model, finish_reason: 'stop', usage: REPLY.usage },
    ],
  );
});

test('an event is one line for every reader of lines', () => {
  const line = eventLine({ text: 'a\nb\r\u0085c\u2028d\u2029e\u000b\f' });
  assert.ok(line.startsWith('data: ') && line.endsWith('}\n\n'));
  assert.equal(line.trimEnd().split(/[\n\r\u0085\u2028\u2029\v\f]/).length, 1);
  assert.deepEqual(JSON.parse(line.slice(6)), { text: 'a\nb\r\u0085c\u2028d\u2029e\u000b\f' });
});

test('pieces of a text are the text and short, and cut no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '👍', 'word '), maxLength: 300 }), (text) => {
      const pieces = [...piecesOf(text)];
      assert.equal(pieces.join(''), text);
      assert.ok(pieces.every((piece) => piece.length <= 97 && piece.isWellFormed() && piece !== ''));
    }),
    { seed: 2 },
  );
});

test('completions mark their sources in the text and list them', () => {
  const content = withMarks(ANSWER, () => 'dam\n.pdf');
  assert.equal(content, 'It says 👍: Built 1911. [1, pp. 3] More.\n\nReferences:\n1. dam .pdf');
  assert.equal(
    withMarks({ content: 'Nothing.', quotes: [] }, () => 'x'),
    'Nothing.',
  );
  assert.equal(
    withMarks(ANSWER, () => undefined),
    ANSWER.content,
  );
});

test('completions have the OpenAI shape, whole and streamed', () => {
  const { id, model, usage } = REPLY;
  const reply = { id, model, usage, content: 'Yes.', finishReason: 'stop' } as const;
  assert.deepEqual(completionBody(reply), {
    id,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
    model,
    usage,
  });
  assert.deepEqual(
    [...completionEvents(reply)],
    [
      { id, choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }], model },
      { id, choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: null }], model },
      { id, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], model },
    ],
  );
});

test('snippets name types that clients know, with pages where there can be some', () => {
  const snippet = { content: 'x', score: 0.5, file: FILE, pages: [1, 2] } as const;
  const body = contextBody(
    'c',
    [
      { ...snippet, type: 'docx' },
      { ...snippet, type: 'csv' },
    ],
    usageOf(3, 0),
  );
  assert.deepEqual(body, {
    id: 'c',
    snippets: [
      { type: 'text', content: 'x', score: 0.5, reference: { type: 'doc_x', file: FILE, pages: [1, 2] } },
      { type: 'text', content: 'x', score: 0.5, reference: { type: 'text', file: FILE } },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 },
  });
});

test('a JSON answer is an object whose citations stand behind the same words', () => {
  const tricky = {
    content: 'He said "no"\n👍. More',
    quotes: [{ position: 16, passages: [PASSAGE] as const }],
  };
  const { content, quotes } = asJsonAnswer(tricky);
  assert.equal(JSON.parse(content).answer, tricky.content);
  const before = content.slice(0, quotes[0]?.position);
  assert.equal(JSON.parse(`${before}"}`).answer, tricky.content.slice(0, 16));
});
