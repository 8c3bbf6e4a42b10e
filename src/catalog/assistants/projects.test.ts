// Projects and their assistants.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../domain/ids.ts';
import type { NewJob } from '../../domain/jobs.ts';
import { AdministrationFixture, BY, EARLY, refuses } from '../conformance/administration-fixture.ts';
import type { Assistant, Catalog, Staging } from '../port.ts';
import { openCatalog } from '../sqlite/open-catalog.ts';

describe('projects with assistants', () => {
  let catalog: Catalog;
  before(async () => {
    catalog = await openCatalog({ path: ':memory:' });
  });
  after(() => catalog.close());

  it('refuses to delete a project with an assistant, and keeps its row until the assistant is gone', async () => {
    const scene = await AdministrationFixture.make(catalog.administration);
    const assistant = assistantOf(scene.project.id);
    await catalog.assistants.insert(assistant, jobOf(assistant));
    const remove = () => catalog.administration.projects.delete(scene.ref(scene.project.id), BY);
    await refuses(remove(), 'project-not-empty');
    await assert.rejects(remove(), /assistant helper/);
    await catalog.assistants.beginRemoval(assistant.id, jobOf(assistant));
    await remove();
    assert.equal(await catalog.administration.projects.purge(), 1);
    await catalog.assistants.remove(assistant.id);
    assert.equal(await catalog.administration.projects.purge(), 0);
  });

  it('counts the files of one project by assistant and state', async () => {
    const [scene, other] = [
      await AdministrationFixture.make(catalog.administration),
      await AdministrationFixture.make(catalog.administration),
    ];
    const assistants = [assistantOf(scene.project.id), assistantOf(scene.project.id, 'empty')];
    const foreign = assistantOf(other.project.id);
    for (const each of [...assistants, foreign]) {
      await catalog.assistants.insert(each, jobOf(each));
      await catalog.assistants.move(each.id, 'Ready');
    }
    const [first] = assistants;
    assert.ok(first);
    const failing = stagingOf(first);
    for (const each of [failing, stagingOf(first), stagingOf(first), stagingOf(foreign)]) {
      await catalog.assistantFiles.stage(each);
    }
    await catalog.assistantRevisions.fail(failing.revision.id, 'unreadable', EARLY);
    assert.deepEqual(await catalog.assistantFiles.counts(scene.project.id), [
      { projectId: scene.project.id, assistantName: 'helper', state: 'Processing', files: 2 },
      { projectId: scene.project.id, assistantName: 'helper', state: 'ProcessingFailed', files: 1 },
    ]);
    const all = await catalog.assistantFiles.counts(null);
    assert.deepEqual(all.map(({ files }) => files).sort(), [1, 1, 2]);
  });
});

function assistantOf(projectId: string, name = 'helper'): Assistant {
  const id = newId();
  return {
    id,
    projectId,
    name,
    instructions: null,
    metadata: null,
    region: 'us',
    state: 'Initializing',
    models: { dense: { model: 'd', source: 's 1', dimension: 3 }, sparse: { model: 'w', source: 's 1' } },
    denseIndexId: id,
    sparseIndexId: newId(),
    createdAt: EARLY,
    updatedAt: EARLY,
  };
}

function jobOf({ id, projectId }: Pick<Assistant, 'id' | 'projectId'>): NewJob {
  return { id: newId(), kind: 'k', projectId, indexId: null, subject: id, input: null, createdAt: EARLY };
}

function stagingOf(assistant: Assistant): Staging {
  const [fileId, operationId] = [newId(), newId()];
  return {
    revision: {
      id: newId(),
      assistantId: assistant.id,
      fileId,
      operationId,
      name: 'a.txt',
      metadata: null,
      size: 1,
      sha256: 'aa',
      multimodal: false,
      state: 'staged',
      processing: null,
      createdAt: EARLY,
    },
    operation: {
      id: operationId,
      assistantId: assistant.id,
      type: 'upload_file',
      fileId,
      state: 'Processing',
      percent: 0,
      error: null,
      ingestionUnits: null,
      createdAt: EARLY,
      completedAt: null,
    },
    job: jobOf(assistant),
  };
}
