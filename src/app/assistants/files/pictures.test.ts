// Pictures of multimodal files: stored with captions, described once, deleted with their file.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Picture } from '../../../documents/pictures/picture-model.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import { fault } from '../../../domain/faults.ts';
import { eventually } from '../../indexes/testing/control-plane.ts';
import { AssistantFixture, bytesOf, type RunningAssistants } from '../testing/assistant-fixture.ts';

const { signal } = new AbortController();

function picture(page: number, content: string): Picture {
  const bytes = Buffer.from(content);
  return { page, caption: `Figure ${page}`, pageText: `page ${page}`, width: 40, height: 40, bytes };
}

describe('pictures of multimodal files', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  beforeEach(async () => {
    fixture = await AssistantFixture.make();
    fixture.pictures = [picture(1, 'mill'), picture(2, 'map'), picture(3, 'mill'), picture(4, 'dam')];
  });
  afterEach(() => fixture.dispose());

  const start = async (): Promise<void> => {
    running = await fixture.start();
    assistant = await fixture.ready(running);
  };
  const uploaded = async (text = 'heron', multimodal = true): Promise<AssistantFile> => {
    const upload = { name: 'a.pdf', content: bytesOf(text), metadata: () => null, multimodal };
    const { file, operation } = await running.files.upload(assistant, upload);
    await fixture.ended(running, assistant, operation);
    return running.files.describe(assistant, file.id);
  };
  const shown = ({ revisionId }: AssistantFile, pages: readonly number[]) =>
    running.images.of({ assistantId: assistant.id, revisionId, pages }, signal);

  it('are stored once each, with their page and the caption on it', async () => {
    await start();
    const file = await uploaded();
    assert.deepEqual([file.state, file.multimodal], ['Available', true]);
    const images = await shown(file, [1, 2, 3, 9]);
    assert.deepEqual(
      images.map(({ page, caption, bytes }) => [page, caption, Buffer.from(bytes).toString()]),
      [
        [1, 'Figure 1', 'mill'],
        [2, 'Figure 2', 'map'],
      ],
    );
    assert.equal((await fixture.revision(file))?.processing?.chunks, 1, 'nothing is added to the text');
    assert.deepEqual(await shown(await uploaded('mole', false), [1]), []);
  });

  it("get the model's description as caption, which is searchable, or keep their own if the model refuses", async () => {
    fixture.describer = {
      describe: async ({ bytes, pageText }) => {
        const name = Buffer.from(bytes).toString();
        if (name === 'map') throw fault('invalid-argument', { reason: 'not a picture' });
        return name === 'dam' ? '' : `a red ${name} on ${pageText}`;
      },
    };
    await start();
    const file = await uploaded();
    const captions = (await shown(file, [1, 2, 4])).map(({ caption }) => caption);
    assert.deepEqual(captions, ['a red mill on page 1', 'Figure 2', 'Figure 4']);
    const question = { text: 'red mill', filter: null, topK: 1, snippetTokens: 1, widened: false, signal };
    const { snippets } = await running.retriever.retrieve(assistant, question);
    assert.equal(snippets[0]?.chunks[0].text, 'Picture: a red mill on page 1');
  });

  it('make a scan readable with a model that reads pictures; without one it fails with the reason', async () => {
    await start();
    const failed = await uploaded(' ');
    assert.equal(failed.state, 'ProcessingFailed');
    assert.match(failed.error ?? '', /contain no text, and this server has no model that reads pictures/);
    await fixture.idle();
    assert.deepEqual(await fixture.stored(), [], 'neither bytes nor pictures are left');
    await running.stop();
    fixture.describer = { describe: async () => '' };
    running = await fixture.start();
    assert.match((await uploaded(' ')).error ?? '', /found nothing to describe/);
    await running.stop();
    fixture.describer = { describe: async ({ bytes }) => `text of ${Buffer.from(bytes).toString()}` };
    running = await fixture.start();
    assert.equal((await uploaded(' ')).state, 'Available');
  });

  it('are not described again after a restart', async () => {
    const described: string[] = [];
    let fails = true;
    fixture.describer = {
      describe: async ({ bytes }) => {
        const name = Buffer.from(bytes).toString();
        described.push(name);
        if (fails && name === 'dam') throw fault('chat-unavailable', { model: 'm', reason: 'down' });
        return name;
      },
    };
    await start();
    const upload = { name: 'a.pdf', content: bytesOf('x'), metadata: () => null, multimodal: true };
    const { file, operation } = await running.files.upload(assistant, upload);
    await eventually(() => described.includes('dam'));
    await running.stop();
    fails = false;
    running = await fixture.start();
    await fixture.ended(running, assistant, operation);
    assert.equal((await running.files.describe(assistant, file.id)).state, 'Available');
    assert.deepEqual(
      described.filter((name) => name !== 'dam'),
      ['mill', 'map'],
    );
  });

  it('wait for their model as long as an outage lasts, and their file with them', async () => {
    let tries = 0;
    fixture.describer = {
      describe: async () => {
        // Of three pictures at a time, and more often than a job is started that fails.
        if (++tries <= 36) throw fault('chat-unavailable', { model: 'm', reason: 'down' });
        return 'a mill';
      },
    };
    await start();
    assert.equal((await uploaded()).state, 'Available');
  });

  it('are deleted with their file', async () => {
    await start();
    const file = await uploaded();
    assert.equal((await fixture.stored()).length, 5, 'the bytes, the list and three pictures');
    await running.files.remove(assistant, file.id);
    await fixture.idle();
    assert.deepEqual(await fixture.stored(), []);
    assert.deepEqual(await shown(file, [1]), []);
  });
});
