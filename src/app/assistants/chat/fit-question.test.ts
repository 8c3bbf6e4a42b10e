// Questions to language models, fitted into their context.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBounded } from '../../../platform/testing/processor-time.ts';
import type { ChatMessage, SourcedChunk } from './chat-provider.ts';
import { fittedQuestion } from './fit-question.ts';
import { countWords, QUESTION } from './testing/questions.ts';

const words = (count: number, word: string) => Array.from({ length: count }, () => word).join(' ');
const said = (role: ChatMessage['role'], count: number, word: string): ChatMessage => ({
  role,
  content: words(count, word),
});
const chunk = (number: number, tokens: number, more: Partial<SourcedChunk> = {}): SourcedChunk => ({
  ...{ fileId: 'f', fileName: 'f.txt', number, start: 0, headings: [], images: [] },
  text: words(tokens, `c${number}`),
  tokens,
  ...more,
});
const fit = (question: Partial<typeof QUESTION>, tokens: number) =>
  fittedQuestion({ ...QUESTION, ...question }, tokens, countWords);
const numbers = ({ chunks }: typeof QUESTION) => chunks.map(({ number }) => number);
const firstWords = ({ messages }: typeof QUESTION) => messages.map(({ content }) => content.split(' ', 1)[0]);

test('keeps a question that fits as it is', async () => {
  const chunks = [chunk(1, 100), chunk(2, 100)];
  const fitted = await fit({ chunks }, 8_000);
  assert.deepEqual(fitted, { ...QUESTION, chunks });
});

test('drops the least snippets and the oldest messages, and keeps system messages and the question', async () => {
  const messages = [
    said('system', 10, 'rules'),
    said('user', 400, 'oldest'),
    said('assistant', 400, 'old'),
    said('user', 200, 'newer'),
    said('assistant', 200, 'newest'),
    said('user', 20, 'question'),
  ];
  const chunks = [chunk(1, 300), chunk(2, 300), chunk(3, 300), chunk(4, 300), chunk(5, 300)];
  const fitted = await fit({ messages, chunks }, 2_600);
  assert.deepEqual(firstWords(fitted), ['rules', 'newer', 'newest', 'question']);
  assert.deepEqual(numbers(fitted), [1, 2]);
  const roomy = await fit({ messages, chunks }, 5_000);
  assert.deepEqual([roomy.messages.length, numbers(roomy)], [6, [1, 2, 3, 4, 5]]);
  assert.ok(fitted.historyTokens < roomy.messages.length * 400);
});

test('gives snippets what a short history leaves, and a history what few snippets leave', async () => {
  const many = Array.from({ length: 9 }, (_, at) => chunk(at, 300));
  assert.equal((await fit({ chunks: many }, 4_000)).chunks.length, 6);
  const messages = [said('user', 700, 'old'), said('assistant', 500, 'answer'), said('user', 9, 'question')];
  assert.equal((await fit({ messages, chunks: [chunk(1, 10)] }, 2_600)).messages.length, 3);
});

test('cuts the best snippet when not even that fits, and leaves pictures out before text', async () => {
  const [cut, ...others] = (await fit({ chunks: [chunk(1, 3_000), chunk(2, 10)] }, 2_000)).chunks;
  assert.equal(others.length, 0);
  assert.ok(cut !== undefined && cut.text.split(' ').length < 1_200 && cut.text.split(' ').length > 500);
  const image = { page: 1, caption: 'A dam' };
  const { chunks } = await fit({ chunks: [chunk(1, 100, { images: [image, image] })] }, 2_500);
  assert.deepEqual([chunks[0]?.tokens, chunks[0]?.images], [100, []]);
});

test('cuts the best snippet also where it has no blanks, between whole characters and in linear time', async () => {
  const countCharacters: typeof countWords = async (text) => text.length;
  const fitText = async (text: string) => {
    const chunks = [chunk(1, text.length, { text }), chunk(2, 10)];
    const fitted = await assertBounded(() =>
      fittedQuestion({ ...QUESTION, chunks }, 200_000, countCharacters),
    );
    return fitted.chunks.map((each) => each.text);
  };
  for (const character of ['鷺', '😀', '鷺は魚を食べる。']) {
    const text = `見出し\n${character.repeat(400_000 / character.length)}`;
    const [cut = '', ...others] = await fitText(text);
    assert.equal(others.length, 0);
    assert.ok(cut.length > 100_000 && text.startsWith(cut) && cut.isWellFormed(), `${cut.length}`);
  }
  const [cut = ''] = await fitText('heron '.repeat(60_000));
  assert.match(cut, /heron$/);
});

test('keeps calls of tools with the question that they belong to', async () => {
  const messages: ChatMessage[] = [
    said('user', 500, 'old'),
    said('user', 5, 'question'),
    { role: 'assistant', content: '', toolCalls: [{ id: 'c', function: { name: 'f' } }] },
    { role: 'tool', content: 'result', toolCallId: 'c' },
  ];
  assert.deepEqual(
    (await fit({ messages, chunks: [chunk(1, 400)] }, 1_400)).messages.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  );
});

test('refuses a question that no context holds', async () => {
  const messages = [said('user', 3_000, 'question')];
  await assert.rejects(fit({ messages }, 2_000), /must fit the 2000 tokens that the model reads/);
});
