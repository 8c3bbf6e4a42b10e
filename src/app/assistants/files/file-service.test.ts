// The quota of files holds for every way to make one.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { fault } from '../../../domain/faults.ts';
import { AssistantFixture, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';
import { FileService } from './file-service.ts';

const MAX = 2;

describe('the quota of files', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  let files: FileService;
  beforeEach(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
    const { catalog } = fixture.plane;
    files = new FileService({
      ...{ catalog, blobs: fixture.blobs, jobs: running.jobs, inference: fixture.inference },
      admitFile: async (projectId) => {
        if ((await count(projectId)) >= MAX) throw fault('quota-exceeded', { max: MAX, what: 'files' });
      },
    });
  });
  afterEach(() => fixture.dispose());

  const count = async (projectId: string): Promise<number> => {
    const counts = await fixture.plane.catalog.assistantFiles.counts(projectId);
    return counts.reduce((sum, each) => sum + each.files, 0);
  };
  const isRefused = { condition: 'quota-exceeded' };

  it('refuses a file under an id of its own, and takes new content of a file that is there', async () => {
    await files.upload(assistant, textFile('heron', { fileId: 'a' }));
    await files.upload(assistant, textFile('mole', { fileId: 'b' }));
    await assert.rejects(files.upload(assistant, textFile('owl', { fileId: 'c' })), isRefused);
    await assert.rejects(files.upload(assistant, textFile('owl')), isRefused);
    await files.upload(assistant, textFile('new heron', { fileId: 'a' }));
    assert.equal(await count(assistant.projectId), MAX);
  });

  it('holds for uploads at once, and refused ones leave nothing', async () => {
    const uploads = ['a', 'b', undefined, undefined, 'c'].map((fileId) =>
      files.upload(assistant, textFile('heron', { fileId })),
    );
    const outcomes = await Promise.allSettled(uploads);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, MAX);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.equal(outcome.reason.condition, 'quota-exceeded');
    await fixture.idle();
    assert.deepEqual([await count(assistant.projectId), (await fixture.stored()).length], [MAX, MAX]);
  });
});
