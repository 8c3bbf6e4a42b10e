// From a question to an answer with sources, and to context, over processed files.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { CHAT_MODEL_DEFAULT, providerModel, shownModel } from '../../../domain/assistants/chat-models.ts';
import type { PageImages, RequestedPages } from '../files/page-images.ts';
import { AssistantFixture, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';
import { pagesOf } from './answer-model.ts';
import type { ChatProvider, ChatQuestion } from './chat-provider.ts';
import type { ChatRequest } from './chat-service.ts';
import { extractiveProvider } from './extractive/extractive-provider.ts';
import { wordSimilarity } from './extractive/testing/word-similarity.ts';
import { GroundedChat } from './grounded-chat.ts';
import { retrievalText } from './retrieval-query.ts';
import { countWords } from './testing/questions.ts';
import { wholeAnswer } from './whole-answer.ts';

const countTokens = countWords;
const builtIn = extractiveProvider({ similarity: wordSimilarity, countTokens });

/** A model answers for every name, or none does. */
const modelsOf = (provider: ChatProvider | null) => ({
  resolve: async (requested: string = CHAT_MODEL_DEFAULT) => requested,
  providerName: () => provider?.answeredBy ?? null,
  isAnswered: async () => provider !== null,
  list: async () => [],
});

describe('questions to an assistant', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  before(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
    const text = 'Storks fly south over the sea.\nThe heron eats fish.\nThe mole digs tunnels.';
    const { operation } = await running.files.upload(assistant, textFile(text, { fileId: 'birds' }));
    await fixture.ended(running, assistant, operation);
  });
  after(() => fixture.dispose());

  const chat = (provider: ChatProvider | null = null): GroundedChat =>
    new GroundedChat({
      retriever: running.retriever,
      models: modelsOf(provider),
      providerOf: () => provider ?? builtIn,
      builtIn,
      countTokens,
    });
  const requestOf = (content: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
    messages: [{ role: 'user', content }],
    model: 'gpt-4o',
    temperature: 0,
    isJson: false,
    filter: null,
    topK: 2,
    snippetTokens: 512,
    pictures: 'whole',
    signal: new AbortController().signal,
    ...more,
  });

  it('quotes the file and page of an answer, and names the model', async () => {
    const answer = await chat().answer(assistant, requestOf('What does the heron eat?'));
    const { content, quotes } = await wholeAnswer(answer.parts);
    assert.match(content, /The heron eats fish\./);
    const [passage] = quotes[0]?.passages ?? [];
    assert.ok(passage);
    assert.deepEqual(pagesOf(passage), [2]);
    assert.equal(answer.fileOf(passage.chunk.fileId)?.id, 'birds');
    assert.equal(answer.model, 'gpt-4o/pinyon-extractive');
    assert.match(answer.id, /^[0-9a-f]{32}$/);
  });

  it('gives a model the chunks around those found, and does not ask it when nothing was found', async () => {
    const questions: ChatQuestion[] = [];
    const model: ChatProvider = {
      answeredBy: 'local',
      readsImages: false,
      answer: async function* (question) {
        questions.push(question);
        yield { type: 'end', finishReason: 'stop', usage: { promptTokens: 1, completionTokens: 1 } };
      },
    };
    await wholeAnswer((await chat(model).answer(assistant, requestOf('heron', { topK: 1 }))).parts);
    assert.deepEqual(
      questions.map(({ chunks }) => chunks.map(({ fileName, text }) => [fileName, text.split('\n').length])),
      [[['notes.txt', 3]]],
    );
    const empty = await fixture.ready(running, 'empty');
    const answer = await chat(model).answer(empty, requestOf('heron'));
    assert.deepEqual(
      [answer.snippetCount, answer.model, questions.length],
      [0, 'gpt-4o/pinyon-extractive', 1],
    );
    assert.match((await wholeAnswer(answer.parts)).content, /no files/);
  });

  it('asks a model also when nothing was found, where the answer must have the form of a schema', async () => {
    const asked: number[] = [];
    const model: ChatProvider = {
      answeredBy: 'local',
      readsImages: false,
      answer: async function* ({ chunks }) {
        asked.push(chunks.length);
        yield { type: 'text', text: '{"eats":null}' };
        yield { type: 'end', finishReason: 'stop', usage: { promptTokens: 1, completionTokens: 1 } };
      },
    };
    const empty = await fixture.ready(running, 'empty-too');
    const options = { jsonSchema: { name: 'eats', schema: { type: 'object', required: ['eats'] } } };
    const answer = await chat(model).answer(empty, requestOf('heron', { isJson: true, options }));
    assert.deepEqual(JSON.parse((await wholeAnswer(answer.parts)).content), { eats: null });
    assert.deepEqual([asked, answer.snippetCount], [[0], 0]);
  });

  it('returns the text around the best chunks with its pages, within the budget', async () => {
    const question = requestOf('heron', { topK: 1 });
    const wide = await chat().context(assistant, question);
    assert.deepEqual(
      wide.snippets.map(({ content, pages, type }) => [content.split('\n').length, pages, type]),
      [[3, [1, 2, 3], 'text']],
    );
    const narrow = await chat().context(assistant, { ...question, snippetTokens: 4 });
    assert.deepEqual(
      narrow.snippets.map(({ content }) => content),
      ['The heron eats fish.'],
    );
    assert.ok(wide.tokens > narrow.tokens);
  });

  it('returns the pictures of found pages of multimodal files, each once and within the budget', async () => {
    const requested: RequestedPages[] = [];
    const images: PageImages = {
      of: async (place) => {
        requested.push(place);
        const bytes = new Uint8Array(5 * 2 ** 20);
        return place.pages.map((page) => ({ page, caption: `p${page}`, mimeType: 'image/png', bytes }));
      },
    };
    const multimodal: Pick<RunningAssistants['retriever'], 'retrieve'> = {
      retrieve: async (...call) => {
        const { snippets, files } = await running.retriever.retrieve(...call);
        const shown = [...files].map(
          ([id, live]) => [id, { ...live, file: { ...live.file, multimodal: true } }] as const,
        );
        return { snippets, files: new Map(shown) };
      },
    };
    const parts = {
      ...{ retriever: multimodal, models: modelsOf(null), providerOf: () => builtIn },
      ...{ builtIn, countTokens, images },
    };
    const context = await new GroundedChat(parts).context(assistant, requestOf('heron', { topK: 1 }));
    assert.deepEqual(
      [
        requested.map(({ pages }) => pages),
        context.snippets.map((each) => each.images.map(({ page }) => page)),
      ],
      [[[1, 2, 3]], [[1]]],
    );
    await new GroundedChat(parts).context(assistant, requestOf('heron', { pictures: 'none' }));
    await new GroundedChat({ ...parts, retriever: running.retriever }).context(assistant, requestOf('heron'));
    assert.equal(requested.length, 1);
  });

  it('adds the previous question to a short one', () => {
    const messages = [
      { role: 'user', content: 'What do herons eat in summer?' },
      { role: 'assistant', content: 'Fish.' },
      { role: 'user', content: 'And in winter?' },
    ] as const;
    assert.equal(retrievalText(messages), 'What do herons eat in summer?\nAnd in winter?');
    assert.equal(retrievalText(messages.slice(0, 1)), 'What do herons eat in summer?');
  });

  it('refuses a history that is too long', async () => {
    const long = 'word '.repeat(70_000);
    await assert.rejects(chat().answer(assistant, requestOf(long)), /at most 65536 tokens/);
  });
});

describe('names of chat models', () => {
  it('maps known names to those of the provider, retired ones to successors, and refuses others', () => {
    assert.equal(providerModel('claude-3-5-sonnet', {}), 'claude-sonnet-4-5');
    assert.equal(providerModel('claude-3-5-sonnet', { 'claude-sonnet-4-5': 'x', '*': 'y' }), 'x');
    assert.equal(providerModel('gpt-4o', { '*': 'y' }), 'y');
    assert.equal(providerModel('y', { 'gpt-4o': 'y', '*': 'z' }), 'y');
    assert.equal(providerModel('other', { '*': 'z' }), 'other');
    assert.equal(shownModel('gpt-4o', 'gpt-4o-2024'), 'gpt-4o-2024');
    assert.equal(shownModel('gpt-4o', 'llama'), 'gpt-4o/llama');
  });
});
