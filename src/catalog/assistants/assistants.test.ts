// The invariants of assistants, files, revisions, operations and jobs in the catalog.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { PageQuery } from '../../domain/administration/pages.ts';
import { newId } from '../../domain/ids.ts';
import type { NewJob } from '../../domain/jobs.ts';
import { seedProjects } from '../conformance/conformance-suite.ts';
import type { Assistant, Catalog, FileRevision, Operation, Staging } from '../port.ts';
import { openCatalog } from '../sqlite/open-catalog.ts';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-02T00:00:00.000Z';
const DONE = {
  processing: { parser: 1, chunker: 1, type: 'text', chunks: 1, tokens: 5, pages: null },
  ingestionUnits: 1,
  at: LATER,
};

function job(subject: string): NewJob {
  return {
    id: newId(),
    kind: 'k',
    projectId: 'project-1',
    indexId: null,
    subject,
    input: null,
    createdAt: AT,
  };
}

function assistantOf(fields: Partial<Assistant> = {}): Assistant {
  const id = newId();
  return {
    id,
    projectId: 'project-1',
    name: id,
    instructions: 'be brief',
    metadata: { a: [1] },
    region: 'eu',
    state: 'Initializing',
    models: { dense: { model: 'd', source: 's 1', dimension: 3 }, sparse: { model: 'w', source: 's 1' } },
    denseIndexId: id,
    sparseIndexId: newId(),
    createdAt: AT,
    updatedAt: AT,
    ...fields,
  };
}

describe('assistants in the catalog', () => {
  let folder: string;
  let catalog: Catalog;
  let assistant: Assistant;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinyon-assistants-'));
    catalog = await openCatalog({ path: join(folder, 'catalog.db') });
    await seedProjects(catalog);
  });
  after(async () => {
    await catalog.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    assistant = await ready();
  });

  async function ready(fields: Partial<Assistant> = {}): Promise<Assistant> {
    const made = assistantOf(fields);
    await catalog.assistants.insert(made, job(made.id));
    await catalog.assistants.move(made.id, 'Ready');
    return { ...made, state: 'Ready' };
  }

  function staging(fileId: string, fields: Partial<FileRevision> = {}): Staging {
    const operation: Operation = {
      id: newId(),
      assistantId: assistant.id,
      type: 'upload_file',
      fileId,
      state: 'Processing',
      percent: 0,
      error: null,
      ingestionUnits: null,
      createdAt: fields.createdAt ?? AT,
      completedAt: null,
    };
    const revision: FileRevision = {
      id: newId(),
      assistantId: assistant.id,
      fileId,
      operationId: operation.id,
      state: 'staged',
      processing: null,
      name: 'a.txt',
      metadata: { n: 1 },
      size: 5,
      sha256: 'aa',
      multimodal: false,
      createdAt: AT,
      ...fields,
    };
    return { revision, operation, job: job(revision.id) };
  }

  const files = () => catalog.assistantFiles;
  const revisions = () => catalog.assistantRevisions;
  const ref = (fileId: string) => ({ assistantId: assistant.id, fileId });
  const operationOf = ({ operation }: Staging) =>
    catalog.assistantOperations.find(assistant.id, operation.id);
  const publish = ({ revision }: Staging, denseIndexId = assistant.denseIndexId) =>
    revisions().publish(revision.id, { ...DONE, denseIndexId }, (old) => job(old.id));

  it('reads an assistant back whole, keeps names unique per project, and allows only valid transitions', async () => {
    assert.deepEqual(await catalog.assistants.find('project-1', assistant.name), assistant);
    assert.equal(await catalog.assistants.find('project-2', assistant.name), null);
    const twin = assistantOf({ name: assistant.name });
    await assert.rejects(catalog.assistants.insert(twin, job(twin.id)), { condition: 'name-taken' });
    assert.equal(await catalog.assistants.move(assistant.id, 'InitializationFailed'), false);
    const changed = await catalog.assistants.change(assistant.id, { instructions: null, updatedAt: LATER });
    assert.deepEqual(changed, { ...assistant, instructions: null, updatedAt: LATER });
    await catalog.assistants.beginRemoval(assistant.id, job('removal'));
    await catalog.assistants.beginRemoval(assistant.id, job('removal'));
    assert.equal((await catalog.jobs.active({ subject: 'removal' })).length, 1);
    assert.equal(await catalog.assistants.change(assistant.id, { updatedAt: LATER }), null);
    await assert.rejects(files().stage(staging('f')), { condition: 'assistant-not-found' });
    await catalog.assistants.remove(assistant.id);
    assert.equal(await catalog.assistants.byId(assistant.id), null);
  });

  it('lists one project newest first, with each entry on exactly one page', async () => {
    for (let day = 1; day <= 5; day++) await ready({ projectId: 'project-2', createdAt: `2026-02-0${day}` });
    const seen: string[] = [];
    for (let page: PageQuery | null = { limit: 2, after: null }; page !== null; ) {
      const { items, next } = await catalog.assistants.list('project-2', page);
      seen.push(...items.map(({ createdAt }) => createdAt));
      page = next === null ? null : { limit: 2, after: next };
    }
    assert.deepEqual(seen, ['2026-02-05', '2026-02-04', '2026-02-03', '2026-02-02', '2026-02-01']);
  });

  it('fills pages of filtered files', async () => {
    for (let n = 0; n < 9; n++) {
      await files().stage(staging(`f${n}`, { metadata: { n }, createdAt: `2026-03-0${n + 1}` }));
    }
    const query = {
      assistantId: assistant.id,
      accepts: ({ n }: { readonly n?: unknown }) => Number(n) % 2 === 0,
    };
    const first = await files().list(query, { limit: 3, after: null });
    assert.deepEqual(
      first.items.map(({ id }) => id),
      ['f8', 'f6', 'f4'],
    );
    const rest = await files().list(query, { limit: 3, after: first.next });
    assert.deepEqual([rest.items.map(({ id }) => id), rest.next], [['f2', 'f0'], null]);
  });

  it('replaces the answering revision atomically when it publishes the next', async () => {
    const [one, two] = [staging('f'), staging('f', { name: 'b.txt', size: 9 })];
    assert.deepEqual(await files().stage(one), []);
    assert.equal(await publish(one), 'live');
    assert.equal(await publish(one), 'gone');
    await files().stage(two);
    assert.equal((await files().find(ref('f')))?.name, 'a.txt');
    await revisions().progress(two.revision.id, 50);
    assert.equal((await operationOf(two))?.percent, 50);
    assert.equal(await publish(two), 'live');
    const file = await files().find(ref('f'));
    assert.deepEqual([file?.state, file?.name, file?.size, file?.createdAt], ['Available', 'b.txt', 9, AT]);
    assert.equal((await revisions().find(one.revision.id))?.state, 'dead');
    assert.equal((await catalog.jobs.active({ subject: one.revision.id })).length, 2);
    const live = await revisions().live(assistant.id, [one.revision.id, two.revision.id]);
    assert.deepEqual([...live.keys()], [two.revision.id]);
    const { state, ingestionUnits, completedAt } = (await operationOf(two)) ?? {};
    assert.deepEqual([state, ingestionUnits, completedAt], ['Completed', 1, LATER]);
  });

  it('marks files as Processing when chunks move, and lets them answer again one by one', async () => {
    const [one, two] = [staging('f'), staging('g')];
    for (const each of [one, two]) {
      await files().stage(each);
      await publish(each);
    }
    const place = { models: assistant.models, denseIndexId: newId(), sparseIndexId: newId() };
    const late = staging('h');
    await files().stage(late);
    assert.equal(await catalog.assistants.moveChunks(assistant.id, place), true);
    assert.deepEqual(await catalog.assistants.byId(assistant.id), { ...assistant, ...place, state: 'Ready' });
    assert.equal((await files().find(ref('f')))?.state, 'Processing');
    assert.equal((await revisions().live(assistant.id, [one.revision.id])).size, 0);
    assert.equal(await publish(late), 'moved');
    assert.equal(await publish(one), 'moved');
    await revisions().progress(one.revision.id, 40);
    assert.equal((await operationOf(one))?.percent, 100);
    assert.equal(await publish(one, place.denseIndexId), 'live');
    const again = await files().find(ref('f'));
    assert.deepEqual([again?.state, again?.percent, again?.updatedAt], ['Available', 100, LATER]);
    await revisions().failStale(two.revision.id, 'no model');
    const failed = await files().find(ref('g'));
    assert.deepEqual([failed?.state, failed?.error], ['ProcessingFailed', 'no model']);
    assert.equal((await revisions().find(two.revision.id))?.state, 'stale');
    assert.equal(await catalog.assistants.moveChunks(assistant.id, place), true);
    assert.equal((await files().find(ref('f')))?.state, 'Available');
    const newer = staging('g');
    await files().stage(newer);
    assert.equal(await publish(newer, place.denseIndexId), 'live');
    assert.equal((await revisions().find(two.revision.id))?.state, 'dead');
    assert.equal((await catalog.jobs.active({ subject: two.revision.id })).length, 2);
    await catalog.assistants.beginRemoval(assistant.id, job('removal'));
    assert.equal(
      await catalog.assistants.moveChunks(assistant.id, { ...place, denseIndexId: newId() }),
      false,
    );
  });

  it('supersedes an upload by a later one of the same file, and never publishes it', async () => {
    const [one, two] = [staging('f'), staging('f', { name: 'b.txt' })];
    await files().stage(one);
    assert.deepEqual(await files().stage(two), [one.revision.id]);
    assert.equal((await operationOf(one))?.state, 'Failed');
    assert.equal(await publish(one), 'gone');
    assert.equal((await files().find(ref('f')))?.name, 'b.txt');
    await revisions().fail(one.revision.id, 'late', LATER);
    assert.equal((await files().find(ref('f')))?.state, 'Processing');
    await revisions().fail(two.revision.id, 'unreadable', LATER);
    assert.equal((await files().find(ref('f')))?.error, 'unreadable');
  });

  it('shows a deleted file as Deleting until its last revision is gone, and refuses uploads meanwhile', async () => {
    const [one, two] = [staging('f'), staging('f')];
    await files().stage(one);
    await publish(one);
    await files().stage(two);
    const operation: Operation = { ...one.operation, id: newId(), type: 'delete_file' };
    const removal = { operation, jobFor: (revision: FileRevision) => job(revision.id) };
    const begun = await files().beginRemoval(ref('f'), removal);
    assert.deepEqual(begun, { operation, cancelled: [two.revision.id] });
    const again = await files().beginRemoval(ref('f'), {
      ...removal,
      operation: { ...operation, id: newId() },
    });
    assert.deepEqual(again, { operation, cancelled: [] });
    assert.equal(await publish(two), 'gone');
    await assert.rejects(files().stage(staging('f')), { condition: 'file-deleting' });
    await revisions().remove(one.revision.id, LATER);
    assert.equal((await files().find(ref('f')))?.state, 'Deleting');
    await revisions().remove(two.revision.id, LATER);
    assert.equal(await files().find(ref('f')), null);
    assert.equal((await catalog.assistantOperations.find(assistant.id, operation.id))?.state, 'Completed');
    assert.equal(await files().beginRemoval(ref('f'), removal), null);
  });

  it('keeps a deleted file of which nothing is left until a job ends it, where it is to stay shown', async () => {
    const one = staging('f');
    await files().stage(one);
    await revisions().fail(one.revision.id, 'unreadable', LATER);
    await revisions().remove(one.revision.id, LATER);
    const operation: Operation = { ...one.operation, id: newId(), type: 'delete_file' };
    const held: FileRevision[] = [];
    const jobFor = (revision: FileRevision) => {
      held.push(revision);
      return job(revision.id);
    };
    const begun = await files().beginRemoval(ref('f'), { operation, jobFor, staysShown: true });
    assert.deepEqual(begun, { operation, cancelled: [] });
    const file = await files().find(ref('f'));
    assert.deepEqual([file?.state, file?.name, held.length], ['Deleting', one.revision.name, 1]);
    for (const { id } of held) await revisions().remove(id, LATER);
    assert.equal(await files().find(ref('f')), null);
    assert.equal((await catalog.assistantOperations.find(assistant.id, operation.id))?.state, 'Completed');
  });

  it('finds operations by type and state, and forgets those that ended long ago', async () => {
    const all = '2026-01-03';
    // Those of other tests.
    await catalog.assistantOperations.forget(all, 100);
    const [one, two] = [staging('f'), staging('g')];
    await files().stage(one);
    await files().stage(two);
    await publish(one);
    const query = { assistantId: assistant.id, type: 'upload_file', state: 'Processing' } as const;
    const { items } = await catalog.assistantOperations.list(query, { limit: 5, after: null });
    assert.deepEqual(items, [two.operation]);
    const three = staging('h');
    await files().stage(three);
    await publish(three);
    assert.equal(await catalog.assistantOperations.forget('2026-01-01', 5), 0);
    assert.equal(await catalog.assistantOperations.forget(all, 1), 1);
    assert.equal(await catalog.assistantOperations.forget(all, 5), 1);
    assert.deepEqual([await operationOf(one), await operationOf(three)], [null, null]);
    assert.deepEqual(await operationOf(two), two.operation);
  });
});
