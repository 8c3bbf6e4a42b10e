// Cited passages are found again in their files, with their page.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import { AssistantFixture, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';

const { signal } = new AbortController();
/** The parser of the fixture makes a page of each line. */
const LINES = Array.from({ length: 60 }, (_, at) => `Sluice ${at} holds back pond${at} by its gate.`);

describe('passages', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  let file: AssistantFile;
  beforeEach(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
    const { file: uploaded, operation } = await running.files.upload(assistant, textFile(LINES.join('\n')));
    await fixture.ended(running, assistant, operation);
    file = await running.files.describe(assistant, uploaded.id);
  });
  afterEach(() => fixture.dispose());

  const find = (text: string) => running.passages.find(assistant, file, { text, signal });

  it('are found on their page, with their place in its text', async () => {
    const found = await find('holds back pond41');
    assert.equal(found?.page, 42);
    assert.equal(found.text.trimEnd(), LINES[41]);
    assert.equal(found.text.slice(found.start, found.end), 'holds back pond41');
  });

  it('are found across pages, of which all are shown', async () => {
    const text = `by its gate.\n${LINES[8]}`;
    const found = await find(text);
    assert.equal(found?.page, 8);
    assert.equal(found.text.slice(found.start, found.end), text);
    assert.equal(found.text.trimEnd(), `${LINES[7]}\n${LINES[8]}`);
  });

  it('are null for what the file does not have, and for another revision', async () => {
    assert.equal(await find('holds back the sea'), null);
    const other = { ...file, revisionId: 'none' };
    const passage = { text: 'holds back pond41', signal };
    assert.equal(await running.passages.find(assistant, other, passage), null);
  });
});
