// The job that moves an assistant to another node: a copy of its chunks, while its other jobs wait.
//
// Only jobs write chunks. While none runs, the chunks stay as they are, and questions read them until one transaction of
// the catalog exchanges them with their copy. Files that are uploaded meanwhile wait in the blobs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AssistantCopy, Catalog, PlacementRef } from '../../catalog/port.ts';
import { type Assistant, chunkIndexes } from '../../domain/assistants/assistant.ts';
import { newId } from '../../domain/ids.ts';
import { isActive } from '../../domain/jobs.ts';
import type { AssistantMoveInput, MoveProgress } from '../../domain/nodes/moves.ts';
import type { Node } from '../../domain/nodes/node.ts';
import { ASSISTANT_MOVE_KIND } from '../../domain/nodes/takeover.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { nextReembedJob, REEMBED_JOB } from '../assistants/assistant-jobs.ts';
import { ChunkStore } from '../assistants/chunks/chunk-store.ts';
import type { RemoteCopies } from './remote-copies.ts';

/** A crash counts as a start, and so does a node that does not answer. */
const ATTEMPTS_MAX = 5;
const PERCENT_COPIED = 95;
const JOBS_WAIT_MS = 500;
const JOBS_WAITS_MAX = 1_200;

export interface AssistantMoveParts {
  readonly catalog: Pick<Catalog, 'nodes' | 'jobs' | 'assistants' | 'assistantRevisions'>;
  readonly engine: VectorStore;
  readonly find: (nodeId: string) => Node | undefined;
  readonly remote: RemoteCopies;
  readonly noteAssistant: (assistant: Assistant) => Promise<void>;
}

type Run = JobRun<AssistantMoveInput, MoveProgress>;

export function assistantMoveJob(parts: AssistantMoveParts): JobKind<AssistantMoveInput, MoveProgress> {
  return {
    kind: ASSISTANT_MOVE_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: (run) => move(parts, run),
    undo: async (job) => {
      await parts.catalog.nodes.abandonCopies(job.id);
      await parts.catalog.nodes.release(job.indexId ?? '');
    },
  };
}

async function move(parts: AssistantMoveParts, run: Run): Promise<void> {
  const { nodes, assistants } = parts.catalog;
  const { job } = run;
  const assistant = await assistants.byId(job.indexId ?? '');
  const placement = await nodes.placementOf(job.indexId ?? '');
  if (assistant?.state !== 'Ready' || placement === null) throw new JobFailure('The assistant was deleted.');
  // An earlier run died after the exchange, or the assistant was taken over from a dead node.
  if (placement.nodeId === job.input.toNodeId) return arrive(parts, run, assistant);
  const node = parts.find(job.input.toNodeId);
  if (node?.isAlive !== true) throw new Error(`Node ${job.input.toNodeId} does not answer.`);
  const ref: PlacementRef = { id: assistant.id, nodeId: placement.nodeId, epoch: placement.epoch };
  await nodes.abandonCopies(job.id);
  try {
    await holdJobs(parts, run, ref);
    // A job that has ended meanwhile may have made its indexes anew.
    const settled = await assistants.byId(assistant.id);
    if (settled?.state !== 'Ready') throw new JobFailure('The assistant was deleted.');
    await copyAndExchange(parts, run, { assistant: settled, node, ref });
  } finally {
    // No effect after the exchange, which let jobs begin again.
    await nodes.release(assistant.id);
  }
}

async function holdJobs(
  { catalog }: AssistantMoveParts,
  { signal, job }: Run,
  ref: PlacementRef,
): Promise<void> {
  for (let waits = 0; !(await catalog.nodes.hold(ref, job.id)); waits++) {
    if (waits > JOBS_WAITS_MAX)
      throw new JobFailure('Other jobs of the assistant do not end. Move it later.');
    await sleep(JOBS_WAIT_MS, undefined, { signal });
  }
}

interface Moving {
  readonly assistant: Assistant;
  readonly node: Node;
  readonly ref: PlacementRef;
}

async function copyAndExchange(
  parts: AssistantMoveParts,
  run: Run,
  { assistant, node, ref }: Moving,
): Promise<void> {
  const { catalog, remote } = parts;
  const chunks = { denseIndexId: newId(), sparseIndexId: newId() };
  const copy: AssistantCopy = { ...chunks, nodeId: node.id, jobId: run.job.id };
  await catalog.nodes.beginAssistantCopy(copy);
  let recordsCopied = 0;
  for (const part of ['dense', 'sparse'] as const) {
    recordsCopied += await copyIndex(parts, run, {
      assistant,
      node,
      part,
      storageId: chunks[`${part}IndexId`],
    });
    run.percent(part === 'dense' ? PERCENT_COPIED / 2 : PERCENT_COPIED);
    await run.checkpoint({ step: 'Copying', recordsCopied, writesHeldMs: null });
  }
  run.signal.throwIfAborted();
  await run.checkpoint({ step: 'Switching', recordsCopied, writesHeldMs: null });
  const { denseIndexId, sparseIndexId } = assistant;
  if (!(await catalog.nodes.exchangeAssistant({ ...ref, denseIndexId, sparseIndexId }, copy)))
    throw new Error(`Node ${node.address} does not answer.`);
  await parts.noteAssistant({ ...assistant, ...chunks });
  await remote.refresh(node).catch(() => undefined);
  await run.checkpoint({ step: 'Done', recordsCopied, writesHeldMs: null });
}

/** @returns the number of records in it */
async function copyIndex(
  { engine, remote }: AssistantMoveParts,
  { signal }: Run,
  {
    assistant,
    node,
    part,
    storageId,
  }: Omit<Moving, 'ref'> & { readonly part: 'dense' | 'sparse'; readonly storageId: string },
): Promise<number> {
  const profile = chunkIndexes(assistant)[part];
  const copy = { node, indexId: assistant.id, storageId };
  const source = await retryWhileOverloaded(signal, () => engine.copies(profile).export({ signal }));
  try {
    const { recordCount } = await remote.import(copy, source.bytes, signal);
    if (recordCount !== source.recordCount)
      throw new Error(`The copy has ${recordCount} records, the assistant's index ${source.recordCount}.`);
    return recordCount;
  } finally {
    await source.release();
  }
}

/** At the node that has it by now: what was taken over from a dead node is made from its files. Safe to repeat. */
async function arrive(parts: AssistantMoveParts, run: Run, assistant: Assistant): Promise<void> {
  const { jobs, assistantRevisions } = parts.catalog;
  await new ChunkStore(parts, assistant).create();
  const stale = await assistantRevisions.ids({ assistantId: assistant.id, accepts: null }, ['stale']);
  const active = await jobs.active({ kind: REEMBED_JOB, indexId: assistant.id });
  if (stale.length > 0 && !active.some(isActive)) await jobs.insert(await nextReembedJob(jobs, assistant));
  await parts.noteAssistant(assistant);
  const recordsCopied = run.job.progress?.recordsCopied ?? 0;
  await run.checkpoint({ step: 'Done', recordsCopied, writesHeldMs: null });
}
