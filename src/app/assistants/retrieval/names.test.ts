// A name of several words is found among many texts that have its words apart.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { AssistantFixture, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';

const { signal } = new AbortController();
const PARAGRAPHS = 80;
/** Longer than half a chunk, so that each has its own. */
const FILLER = 'Water flows over the mill wheel and back to the river, as it did before. '.repeat(20);
const OTHERS = 'An input was given. The other was null. Another input came, and null it was. ';

describe('a question about a name of several words', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  before(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
    const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) =>
      at === 57 ? `${FILLER}--null-input: reads nothing.` : `${FILLER}${OTHERS.repeat(2)}(${at})`,
    );
    const { operation } = await running.files.upload(assistant, textFile(paragraphs.join('\n')));
    await fixture.ended(running, assistant, operation);
  });
  after(() => fixture.dispose());

  it('finds the text that has it before those that have its words more often, but apart', async () => {
    const question = { filter: null, topK: 1, snippetTokens: 512, widened: false, signal } as const;
    const { snippets } = await running.retriever.retrieve(assistant, {
      text: 'What does --null-input do?',
      ...question,
    });
    assert.match(snippets[0]?.chunks[0]?.text ?? '', /--null-input/);
  });
});
