// Jobs about one thing follow each other, also those that began while the clock was ahead, which has been set back since.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { SAMPLE_INDEX, seedProjects } from '../catalog/conformance/conformance-suite.ts';
import { SqlCatalog } from '../catalog/sql-catalog.ts';
import { openSqlite } from '../catalog/sqlite/open-catalog.ts';
import type { Assistant } from '../domain/assistants/assistant.ts';
import { type Archive, NO_FIGURES } from '../domain/backups/archive.ts';
import type { Index } from '../domain/index-model.ts';
import type { Job, NewJob } from '../domain/jobs.ts';
import type { Node } from '../domain/nodes/node.ts';
import { ASSISTANT_MOVE_KIND, MOVE_KIND, RECOVERY_KIND } from '../domain/nodes/takeover.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { REEMBED_JOB } from './assistants/assistant-jobs.ts';
import { modelsNow, USUAL_MODELS } from './assistants/assistant-models.ts';
import { AssistantReembedService } from './assistants/ingestion/reembed-service.ts';
import { OWNER } from './indexes/testing/control-plane.ts';
import { AssistantMoves } from './nodes/assistant-moves.ts';
import { NodeService } from './nodes/node-service.ts';

const AHEAD = '2999-01-01T00:00:00.000Z';
const INDEX: Index = { ...SAMPLE_INDEX, port: null };
const { projectId } = INDEX;
const inference = testInference();
const ASSISTANT: Assistant = {
  ...{ id: 'assistant', projectId, name: 'helper', instructions: null, metadata: null, region: 'us' },
  ...{ state: 'Ready', models: modelsNow(inference, USUAL_MODELS), denseIndexId: 'd', sparseIndexId: 's' },
  ...{ createdAt: INDEX.createdAt, updatedAt: INDEX.createdAt },
};
const BACKUP: Archive = {
  ...{ id: 'backup', face: 'backup', projectId, name: null, description: null, state: 'Ready' },
  ...{ source: INDEX, sourceDeletedAt: null, manifestSha256: 'aa', scheduleId: null },
  ...{ ...NO_FIGURES, scheduledAt: null, expiresAt: null, createdAt: INDEX.createdAt },
};

describe('after a clock that was ahead is set back', () => {
  let catalog: SqlCatalog;
  /** Of no node in particular: it runs any job. */
  let anywhere: SqlCatalog['jobs'];
  const enqueue = (job: NewJob): Promise<Job> => catalog.jobs.insert(job);

  beforeEach(async () => {
    const db = await openSqlite({ path: ':memory:' });
    catalog = new SqlCatalog(db, { nodeId: 'one' });
    ({ jobs: anywhere } = new SqlCatalog(db));
    await seedProjects(catalog);
    await renew('one', 60_000);
    await renew('two', 60_000);
    await catalog.indexes.insert(INDEX);
    await catalog.archives.adopt(BACKUP);
  });
  afterEach(() => catalog.close());

  async function renew(id: string, leaseMs: number): Promise<void> {
    const figures = { memoryFreeBytes: 1, diskFreeBytes: 2, isHeld: false, release: '1' };
    await catalog.nodes.renew({ id, incarnation: id, address: `http://${id}`, leaseMs, ...figures });
  }

  async function nodeOf(id: string): Promise<Node> {
    const node = (await catalog.nodes.list()).find((each) => each.id === id);
    assert.ok(node);
    return node;
  }

  async function end({ id, kind }: Pick<Job, 'id' | 'kind'>): Promise<void> {
    const claim = { owner: id, kinds: [kind], now: AHEAD, leaseUntil: AHEAD };
    assert.equal((await anywhere.claim(claim))?.id, id);
    await anywhere.release(id, id, { kind: 'completed' }, AHEAD);
  }

  /** One that began, and ended, while the clock was ahead. */
  async function endedAhead(kind: string, indexId: string, input: unknown): Promise<void> {
    const job = { id: `${kind} before`, kind, projectId, indexId, subject: null, input, createdAt: AHEAD };
    await catalog.jobs.insert(job);
    await end(job);
  }

  async function activeOf(kind: string): Promise<Job> {
    const active = await catalog.jobs.active({ kind });
    assert.equal(active.length, 1);
    assert.ok(active[0]);
    return active[0];
  }

  test('one re-embedding of an assistant is under way, and the latest is that one', async () => {
    const service = new AssistantReembedService({
      ...{ catalog, jobs: { enqueue }, inference, models: USUAL_MODELS },
      assistants: { ready: () => Promise.resolve(ASSISTANT) },
    });
    await endedAhead(REEMBED_JOB, ASSISTANT.id, {});
    await service.start(OWNER, 'helper');
    await service.start(OWNER, 'helper');
    const second = await activeOf(REEMBED_JOB);
    assert.equal((await service.latest(OWNER, 'helper')).createdAt, second.createdAt);
    await end(second);
    assert.equal(
      (await service.latest(OWNER, 'helper')).createdAt,
      second.createdAt,
      'also once it has ended',
    );
  });

  test('one move of an assistant is under way, and the latest is that one', async () => {
    const jobs = { enqueue, wake: () => undefined };
    const createCopy = () => Promise.resolve();
    const moves = new AssistantMoves({ catalog, store: catalog.nodes, jobs, createCopy });
    await endedAhead(ASSISTANT_MOVE_KIND, ASSISTANT.id, { assistantName: 'helper', toNodeId: 'one' });
    const to = await nodeOf('two');
    const { id } = await moves.start(ASSISTANT, to);
    assert.equal((await moves.start(ASSISTANT, to)).id, id);
    assert.equal((await moves.latest(ASSISTANT))?.id, id);
    await end(await activeOf(ASSISTANT_MOVE_KIND));
    assert.equal((await moves.latest(ASSISTANT))?.id, id, 'also once it has ended');
  });

  test('a takeover and a move of an index follow those before, and each other', async () => {
    const service = new NodeService({
      ...{ catalog, store: catalog.nodes, organizationId: 'organization-1', nodeId: 'one' },
      jobs: { enqueue, wake: () => undefined },
      createCopy: () => Promise.resolve(),
      indexByName: () => stored,
      allIndexes: () => [],
    });
    let [stored] = await catalog.indexes.list();
    const name = { projectId, name: INDEX.name };
    const input = { indexName: INDEX.name, toNodeId: 'one' };
    await endedAhead(MOVE_KIND, INDEX.id, input);
    await endedAhead(RECOVERY_KIND, INDEX.id, {
      ...input,
      backupId: 'b',
      completeUntil: AHEAD,
      recordCount: 1,
    });
    await renew('one', -1);
    const takeover = await service.moveFromBackup(name, 'two', 'newest');
    assert.equal(takeover.state, 'Pending');
    assert.equal((await service.latestMove(name))?.id, takeover.id);
    await end({ id: takeover.id, kind: RECOVERY_KIND });
    assert.equal((await service.latestMove(name))?.id, takeover.id, 'also once it has ended');

    await renew('one', 60_000);
    const [made] = await catalog.indexes.list();
    assert.ok(made);
    stored = { ...made, state: 'Ready' };
    const move = await service.move(name, 'one');
    assert.equal((await service.latestMove(name))?.id, move.id);
    await end({ id: move.id, kind: MOVE_KIND });
    assert.equal((await service.latestMove(name))?.id, move.id, 'also once it has ended');
  });
});
