// Tests that results computed over stored tables stand before all passages, and go with their file.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import { extractiveProvider } from '../chat/extractive/extractive-provider.ts';
import { wordSimilarity } from '../chat/extractive/testing/word-similarity.ts';
import { GroundedChat } from '../chat/grounded-chat.ts';
import { countWords } from '../chat/testing/questions.ts';
import { wholeAnswer } from '../chat/whole-answer.ts';
import { AssistantFixture, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';
import { tableAnswers } from './table-answers.ts';
import { saveTables } from './table-store.ts';

const TABLE = {
  name: 'birds',
  columns: ['bird', 'place', 'count'],
  text: 'heron\tlake\t12\nwren\tgarden\t7\nheron\tgarden\t1',
  rows: 3,
  hasPlainNumbers: true,
};
const RESULT =
  'Computed over all 3 rows of birds in notes.txt: the sum of count is 13, over the 2 rows with bird = heron.';

describe('questions about tables', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  let chat: GroundedChat;
  before(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
    const builtIn = extractiveProvider({ similarity: wordSimilarity, countTokens: countWords });
    chat = new GroundedChat({
      retriever: running.retriever,
      models: {
        resolve: async () => 'gpt-4o',
        providerName: () => null,
        isAnswered: async () => false,
        list: async () => [],
      },
      providerOf: () => builtIn,
      builtIn,
      countTokens: countWords,
      tables: tableAnswers(fixture.blobs),
    });
  });
  after(() => fixture.dispose());

  async function upload(fileId: string): Promise<AssistantFile> {
    const text = `Counts of herons and wrens, ${fileId}.\nThe heron stands in the lake of ${fileId}.`;
    const { operation } = await running.files.upload(assistant, textFile(text, { fileId }));
    await fixture.ended(running, assistant, operation);
    const file = await running.files.describe(assistant, fileId);
    await saveTables(fixture.blobs, { assistantId: assistant.id, id: file.revisionId }, [TABLE]);
    return file;
  }

  const question = (content: string) => ({
    messages: [{ role: 'user' as const, content }],
    filter: null,
    topK: 2,
    snippetTokens: 512,
    pictures: 'none' as const,
    signal: new AbortController().signal,
  });
  const sum = 'What is the sum of count for heron?';

  it('answers with the result alone, cited to the file', async () => {
    await upload('birds');
    const request = { ...question(sum), model: 'gpt-4o', temperature: 0, isJson: false };
    const answer = await chat.answer(assistant, request);
    const { content, quotes } = await wholeAnswer(answer.parts);
    assert.equal(content, RESULT);
    const [quote] = quotes;
    assert.equal(quote?.position, content.length);
    assert.equal(answer.fileOf(quote?.passages[0].chunk.fileId ?? '')?.id, 'birds');
  });

  it('puts the result before the passages of the context, within the number that was requested', async () => {
    const { snippets } = await chat.context(assistant, question(sum));
    assert.deepEqual([snippets.length, snippets[0]?.content, snippets[0]?.score], [2, RESULT, 1]);
    const others = await chat.context(assistant, question('Where does the heron stand?'));
    assert.ok(others.snippets.every(({ content }) => !content.startsWith('Computed')));
  });

  it('states the result of each of few tables that fit, and of none where many do', async () => {
    await upload('two');
    const two = await chat.context(assistant, { ...question(sum), topK: 8 });
    assert.equal(two.snippets.filter(({ content }) => content === RESULT).length, 2);
    for (const id of ['three', 'four']) await upload(id);
    const four = await chat.context(assistant, { ...question(sum), topK: 8 });
    assert.ok(four.snippets.every(({ content }) => !content.startsWith('Computed')));
  });

  it('removes the tables with their file', async () => {
    for (const id of ['birds', 'two', 'three', 'four']) {
      await fixture.ended(running, assistant, await running.files.remove(assistant, id));
    }
    await fixture.idle();
    assert.deepEqual(
      (await fixture.stored()).filter(({ key }) => key.endsWith('.tables')),
      [],
    );
  });
});
