// The job that moves an index to another node: a copy, what changed since, and a short switch while writes wait.
//
// One row of the catalog says which node answers, and which copy does not. The switch exchanges both in a transaction, so
// a crash at any point leaves one owner, and a copy to be removed. The copy has a storage of a new name: whatever the
// former owner still holds is never found under the name that answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeStore, PlacementRef } from '../../catalog/port.ts';
import { newId } from '../../domain/ids.ts';
import { type Index, isReady, storageIdOf, storedProfileOf } from '../../domain/index-model.ts';
import type { MoveInput, MoveProgress } from '../../domain/nodes/moves.ts';
import type { Node, PlacedCopy } from '../../domain/nodes/node.ts';
import { MOVE_KIND } from '../../domain/nodes/takeover.ts';
import type { IndexExport } from '../../engine/port/index-copies.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { type Job, JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import type { Fence } from './fence.ts';
import { MoveFollower } from './move-follower.ts';
import type { ReceivedCopies } from './received-copies.ts';
import type { RemoteCopies, RemoteCopy } from './remote-copies.ts';

/** A crash counts as a start, and so does a node that does not answer. */
const ATTEMPTS_MAX = 5;
const PERCENT_COPIED = 90;
const PERCENT_FOLLOWED = 95;
/** So few changes are taken over while writes wait: some tens of milliseconds of work. */
const PENDING_MAX = 500;
/** Steps of following after which an index is said to be written faster than it can be followed. */
const STEPS_MAX = 100_000;
const JOBS_WAIT_MS = 2_000;
const JOBS_WAITS_MAX = 300;
const SWITCHES_MAX = 20;
const RETRY_MS = 500;
/** Writes wait no longer; the switch is then tried again. */
const SWITCH_MS_MAX = 3_000;

export interface MoveJobParts {
  readonly nodeId: string;
  readonly store: NodeStore;
  /** Within the fence. */
  readonly engine: VectorStore;
  readonly indexById: (id: string) => Index | undefined;
  readonly find: (nodeId: string) => Node | undefined;
  readonly fence: Pick<Fence, 'giveUp' | 'keep'>;
  readonly remote: RemoteCopies;
  readonly received: Pick<ReceivedCopies, 'drop'>;
  /** Runs work while no write of the index is under way, and others wait; null when earlier ones did not end in time. */
  readonly alone: <Result>(
    indexId: string,
    work: () => Promise<Result>,
  ) => Promise<{ readonly result: Result } | null>;
  readonly catchUp: () => Promise<void>;
}

type Run = JobRun<MoveInput, MoveProgress>;

export function moveJob(parts: MoveJobParts): JobKind<MoveInput, MoveProgress> {
  return {
    kind: MOVE_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: (run) => move(parts, run),
    undo: (job) => undo(parts, job),
  };
}

async function move(parts: MoveJobParts, run: Run): Promise<void> {
  const { job } = run;
  const index = movable(parts.indexById(job.indexId ?? ''));
  const { placement } = index;
  if (placement === undefined) throw new JobFailure('The index is on no node.');
  const ref: PlacementRef = { id: index.id, ...placement };
  // An earlier run died after the switch.
  if (ref.nodeId === job.input.toNodeId) {
    const recordsCopied = job.progress?.recordsCopied ?? 0;
    await run.checkpoint({ step: 'Done', recordsCopied, writesHeldMs: job.progress?.writesHeldMs ?? null });
    return leaveCopy(parts, index.id);
  }
  const node = parts.find(job.input.toNodeId);
  if (node?.isAlive !== true) throw new Error(`Node ${job.input.toNodeId} does not answer.`);
  await parts.store.release(index.id);
  await removeCopy(parts, index.id, 'required');
  const copy: RemoteCopy = { node, indexId: index.id, storageId: newId() };
  if (!(await parts.store.beginCopy(ref, { nodeId: node.id, storageId: copy.storageId })))
    throw new Error('Another move of the index has begun.');
  const recordsCopied = await copyAndFollow(parts, run, { index, copy });
  await switchOver(parts, run, { index, ref, copy, recordsCopied });
  await leaveCopy(parts, index.id);
}

function movable(index: Index | undefined): Index {
  if (index === undefined || index.state === 'Terminating') throw new JobFailure('The index was deleted.');
  if (!isReady(index.state)) throw new JobFailure(`Index ${index.name} is not ready.`);
  if (index.modelChange !== undefined)
    throw new JobFailure(`The model of index ${index.name} is being changed. End that first.`);
  return index;
}

interface Copying {
  readonly index: Index;
  readonly copy: RemoteCopy;
}

/** @returns the number of records in the copied snapshot */
async function copyAndFollow(parts: MoveJobParts, run: Run, { index, copy }: Copying): Promise<number> {
  const { engine, remote } = parts;
  const { signal, percent, checkpoint } = run;
  const profile = storedProfileOf(index);
  // Before the snapshot: each change is in it, or noted.
  await engine.changed(profile).track();
  const source = await retryWhileOverloaded(signal, () => engine.copies(profile).export({ signal }));
  let recordsCopied = 0;
  try {
    const counted = countedBytes(source, (share) => percent(share * PERCENT_COPIED));
    const { recordCount } = await remote.import(copy, counted, signal);
    recordsCopied = recordCount;
    await checkpoint({ step: 'Following', recordsCopied: recordCount, writesHeldMs: null });
  } finally {
    await source.release();
  }
  percent(PERCENT_COPIED);
  const follower = new MoveFollower({ ...parts, index, copy, signal });
  for (let steps = 0; (await follower.step()) > PENDING_MAX; steps++) {
    signal.throwIfAborted();
    if (steps > STEPS_MAX) throw new JobFailure('The index is written faster than it can be copied.');
  }
  percent(PERCENT_FOLLOWED);
  return recordsCopied;
}

/** Exchanges the index and its copy, when nothing is left to take over. */
async function switchOver(
  parts: MoveJobParts,
  run: Run,
  {
    index,
    ref,
    copy,
    recordsCopied,
  }: Copying & {
    readonly ref: PlacementRef;
    readonly recordsCopied: number;
  },
): Promise<void> {
  const { store, remote, alone, catchUp } = parts;
  const { signal, checkpoint, job } = run;
  const follower = new MoveFollower({ ...parts, index, copy, signal });
  for (let waits = 0; !(await store.hold(ref, job.id)); waits++) {
    movable(parts.indexById(index.id));
    if (waits > JOBS_WAITS_MAX) throw new JobFailure('Other jobs of the index do not end. Move it later.');
    await sleep(JOBS_WAIT_MS, undefined, { signal });
  }
  try {
    await checkpoint({ step: 'Switching', recordsCopied, writesHeldMs: null });
    for (let tried = 1; ; tried++) {
      const startedAt = performance.now();
      const outcome = await alone(index.id, async () => {
        movable(parts.indexById(index.id));
        if (!(await drained(follower, startedAt + SWITCH_MS_MAX))) return false;
        await assertEqual(parts, { index, copy });
        if (!(await exchange(parts, { index, ref, copy }))) return false;
        // Whoever calls next finds the index there.
        await Promise.all([catchUp(), remote.refresh(copy.node).catch(() => undefined)]);
        return true;
      });
      if (outcome?.result === true) {
        const writesHeldMs = Math.round(performance.now() - startedAt);
        return await checkpoint({ step: 'Done', recordsCopied, writesHeldMs });
      }
      if (tried === SWITCHES_MAX) throw new Error('The writes of the index did not end in time.');
      signal.throwIfAborted();
      await sleep(RETRY_MS, undefined, { signal });
      while ((await follower.step()) > PENDING_MAX) signal.throwIfAborted();
    }
  } finally {
    // No effect after the exchange, which let jobs begin again.
    await store.release(index.id);
  }
}

/** @returns false when there was too much to do in time */
async function drained(follower: MoveFollower, until: number): Promise<boolean> {
  for (;;) {
    const left = await follower.step();
    if (left === 0 && (await follower.step()) === 0) return true;
    if (performance.now() > until) return false;
  }
}

async function assertEqual({ engine, remote }: MoveJobParts, { index, copy }: Copying): Promise<void> {
  const reader = engine.reader(storedProfileOf(index));
  const counts = (await reader.recordCounts()).flat();
  const recordCount = counts.reduce((sum, each) => sum + each.recordCount, 0);
  const there = await remote.describe(copy);
  if (there.recordCount !== recordCount || there.namespaceCount !== counts.length)
    throw new Error(
      `The copy has ${there.recordCount} records in ${there.namespaceCount} namespaces, the index ${recordCount} in ${counts.length}.`,
    );
  if (there.lsn < (await reader.lsn())) throw new Error('The copy has a lower LSN than the index.');
}

/** Serves nothing of the index until it is known whether the exchange was committed. */
async function exchange(
  { store, fence }: MoveJobParts,
  { index, ref, copy }: Copying & { readonly ref: PlacementRef },
): Promise<boolean> {
  const { node, storageId } = copy;
  const target = { nodeId: node.id, storageId };
  fence.giveUp(index.id, ref.epoch);
  try {
    const isExchanged = await store.exchange({ ...ref, storageId: storageIdOf(index) }, target);
    if (!isExchanged) fence.keep(index.id, ref.epoch);
    return isExchanged;
  } catch (error) {
    if (await exchangedMeanwhile(store, ref, target)) return true;
    fence.keep(index.id, ref.epoch);
    throw error;
  }
}

/**
 * The connection broke, and the commit may still be on its way, which reads do not see. A change waits until it has
 * ended, and this one lets none come later. Then the row tells, as soon as it can be read.
 */
async function exchangedMeanwhile(store: NodeStore, ref: PlacementRef, copy: PlacedCopy): Promise<boolean> {
  for (;;) {
    try {
      await store.condemnCopy(ref.id, copy);
      return (await store.placementOf(ref.id))?.epoch !== ref.epoch;
    } catch {
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

/** Removes the copy that does not answer, on whichever node. Where that is not alive, it does so itself once it is. */
async function removeCopy(parts: MoveJobParts, indexId: string, need?: 'required'): Promise<void> {
  const { store, nodeId, find, remote, received } = parts;
  const copy = (await store.placementOf(indexId))?.copy ?? null;
  if (copy === null) return;
  if (copy.nodeId === nodeId) return received.drop({ indexId, storageId: copy.storageId });
  const node = find(copy.nodeId);
  if (node?.isAlive === true) return remote.drop({ node, indexId, storageId: copy.storageId });
  if (need === 'required')
    throw new Error(`Node ${node?.address ?? copy.nodeId} has a copy of before, and does not answer.`);
}

/** The move is done; what is not removed now is removed later. */
async function leaveCopy(parts: MoveJobParts, indexId: string): Promise<void> {
  await removeCopy(parts, indexId).catch(() => undefined);
}

async function undo(parts: MoveJobParts, { indexId }: Job): Promise<void> {
  const index = parts.indexById(indexId ?? '');
  if (index === undefined) return;
  if (index.placement?.nodeId === parts.nodeId) {
    await parts.store.release(index.id);
    // The notes go with an index that is deleted, whose records may be missing or damaged. While its model is changed, the
    // other vectors follow by the same ones.
    if (index.state !== 'Terminating' && index.modelChange === undefined)
      await parts.engine.changed(storedProfileOf(index)).forget();
  }
  await removeCopy(parts, index.id);
}

async function* countedBytes(
  { bytes, bytesExpected }: IndexExport,
  onShare: (share: number) => void,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of bytes) {
    yield piece;
    sent += piece.byteLength;
    onShare(Math.min(1, sent / Math.max(1, bytesExpected)));
  }
}
