// Moves assistants between nodes: copies of their chunks, or, when their node is dead for good, their files anew.
import type { Catalog, NodeStore } from '../../catalog/port.ts';
import type { Assistant } from '../../domain/assistants/assistant.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import { isActive, type Job, jobOfKind, type NewJob } from '../../domain/jobs.ts';
import type { AssistantMove, AssistantMoveInput, MoveProgress } from '../../domain/nodes/moves.ts';
import type { Node, Placement } from '../../domain/nodes/node.ts';
import type { IndexName } from '../../domain/nodes/services.ts';
import { ASSISTANT_MOVE_KIND } from '../../domain/nodes/takeover.ts';
import type { JobQueue } from '../../jobs/port.ts';
import { type JobsAbout, latestJob, nextJobAt } from '../latest-job.ts';
import { refused } from './recoveries.ts';
import type { RemoteCopy } from './remote-copies.ts';

const NOT_BEGUN: MoveProgress = { step: 'Copying', recordsCopied: 0, writesHeldMs: null };

export interface AssistantMovesParts {
  readonly catalog: Pick<Catalog, 'assistants' | 'jobs'>;
  readonly store: NodeStore;
  readonly jobs: Pick<JobQueue, 'enqueue' | 'wake'>;
  /** Makes an empty index of an assistant at a node. */
  readonly createCopy: (copy: RemoteCopy) => Promise<void>;
}

export class AssistantMoves {
  readonly #parts: AssistantMovesParts;

  constructor(parts: AssistantMovesParts) {
    this.#parts = parts;
  }

  /** @throws assistant-not-found */
  async find({ projectId, name }: IndexName): Promise<Assistant> {
    const assistant = await this.#parts.catalog.assistants.find(projectId, name);
    if (assistant === null || assistant.state === 'Terminating') throw fault('assistant-not-found', { name });
    return assistant;
  }

  /** @throws move-refused when it is on no node, or not ready */
  async placementOf({ id, state }: Assistant): Promise<Placement> {
    const placement = await this.#parts.store.placementOf(id);
    if (placement === null) throw refused('it is on no node');
    if (state !== 'Ready') throw refused('it is not ready');
    return placement;
  }

  /** Those that a node has, and that are ready. */
  async at(nodeId: string): Promise<readonly Assistant[]> {
    const found: Assistant[] = [];
    for (const placement of await this.#parts.store.placements()) {
      if (placement.nodeId !== nodeId) continue;
      const assistant = await this.#parts.catalog.assistants.byId(placement.id);
      if (assistant?.state === 'Ready') found.push(assistant);
    }
    return found;
  }

  /** The move under way, or a new one. */
  async start(assistant: Assistant, to: Node): Promise<AssistantMove> {
    const latest = await this.#latest(assistant);
    if (latest !== undefined && isActive(latest)) return assistantMoveOf(latest);
    return assistantMoveOf(await this.#parts.jobs.enqueue(await this.#next(assistant, to)));
  }

  /** @throws move-refused while its node is alive */
  async takeOver(
    assistant: Assistant,
    {
      nodes,
      target,
      from,
    }: { readonly nodes: readonly Node[]; readonly target: Node; readonly from: Placement },
  ): Promise<AssistantMove> {
    const owner = nodes.find(({ id }) => id === from.nodeId);
    if (owner?.isAlive === true) throw refused(`node ${owner.address} is alive and has it`);
    if (!target.isAlive) throw refused(`node ${target.address} does not answer`);
    const chunks = { denseIndexId: newId(), sparseIndexId: newId() };
    const { id } = assistant;
    const ref = { id, nodeId: from.nodeId, epoch: from.epoch };
    const job = await this.#next(assistant, target);
    const { store, createCopy } = this.#parts;
    // What a takeover that fails has left is removed by its node, since no such job is active.
    await store.beginAssistantCopy({ nodeId: target.id, jobId: job.id, ...chunks });
    for (const storageId of Object.values(chunks)) await createCopy({ node: target, indexId: id, storageId });
    if (!(await store.takeOverAssistant({ ref, nodeId: target.id, ...chunks, job })))
      throw refused('its node is alive again, or it was changed at the same moment');
    this.#parts.jobs.wake();
    const started = await this.latest(assistant);
    if (started === null) throw new Error('The job that was stored is not there.');
    return started;
  }

  async latest(assistant: Assistant): Promise<AssistantMove | null> {
    const job = await this.#latest(assistant);
    return job === undefined ? null : assistantMoveOf(job);
  }

  #latest(assistant: Assistant): Promise<Job | undefined> {
    return latestJob(this.#parts.catalog.jobs, movesOf(assistant));
  }

  async #next(assistant: Assistant, to: Node): Promise<NewJob> {
    const input: AssistantMoveInput = { assistantName: assistant.name, toNodeId: to.id };
    const about = movesOf(assistant);
    const createdAt = await nextJobAt(this.#parts.catalog.jobs, about);
    return { id: newId(), ...about, subject: null, input, createdAt };
  }
}

function movesOf({ id, projectId }: Assistant): JobsAbout {
  return { projectId, kind: ASSISTANT_MOVE_KIND, indexId: id };
}

function assistantMoveOf(job: Job): AssistantMove {
  const { id, state, error, createdAt, finishedAt, input, progress } = jobOfKind<
    AssistantMoveInput,
    MoveProgress
  >(job);
  return { id, state, error, createdAt, finishedAt, ...input, source: null, ...(progress ?? NOT_BEGUN) };
}
