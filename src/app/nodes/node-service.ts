// Lists nodes, has indexes moved between them, and empties nodes that are to be stopped for good.
import type { NodeStore } from '../../catalog/port.ts';
import { fault } from '../../domain/faults.ts';
import { type Index, isReady } from '../../domain/index-model.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import { chooseNode } from '../../domain/nodes/choose-node.ts';
import type { Move, MoveInput, MoveProgress } from '../../domain/nodes/moves.ts';
import type { Node } from '../../domain/nodes/node.ts';
import type { IndexName, NodeAdministration } from '../../domain/nodes/services.ts';
import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import { MOVE_KIND } from './move-job.ts';

const NOT_BEGUN: MoveProgress = { step: 'Copying', recordsCopied: 0, writesHeldMs: null };

export interface NodeServiceParts extends IndexJobStarterParts {
  readonly organizationId: string;
  /** This node's; null where nodes have no records of their own. */
  readonly nodeId: string | null;
  readonly store: Pick<NodeStore, 'list' | 'setDraining' | 'forget'>;
  readonly indexByName: (projectId: string, name: string) => Index | undefined;
  readonly allIndexes: () => readonly Index[];
}

export class NodeService implements NodeAdministration {
  readonly organizationId: string;
  readonly #parts: NodeServiceParts;
  readonly #starter: IndexJobStarter;

  constructor(parts: NodeServiceParts) {
    this.organizationId = parts.organizationId;
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, MOVE_KIND);
  }

  async list(): Promise<readonly Node[]> {
    return this.#parts.nodeId === null ? [] : this.#parts.store.list();
  }

  async drain(id: string, isDraining: boolean): Promise<Node> {
    const node = await this.#find(id);
    await this.#parts.store.setDraining(node.id, isDraining);
    if (isDraining) await this.#empty(node.id);
    return { ...node, isDraining };
  }

  async #empty(nodeId: string): Promise<void> {
    const nodes = await this.list();
    const moved = new Map<string, number>();
    for (const index of this.#parts.allIndexes()) {
      if (index.placement?.nodeId !== nodeId || !isReady(index.state) || index.modelChange !== undefined)
        continue;
      const to = chooseNode(nodes, (id) => moved.get(id) ?? 0);
      if (to === null) return;
      moved.set(to.id, (moved.get(to.id) ?? 0) + 1);
      await this.#start(index, to);
    }
  }

  async forget(id: string): Promise<void> {
    const node = await this.#find(id);
    if (!(await this.#parts.store.forget(node.id))) throw fault('node-in-use', { node: node.address });
  }

  async move(name: IndexName, to: string): Promise<Move> {
    const index = this.#index(name);
    const nodes = await this.list();
    const target = nodes.find(({ id, address }) => id === to || address === to.replace(/\/+$/, ''));
    if (target === undefined) throw fault('node-not-found', { node: to.slice(0, 200) });
    const refuse = (reason: string) => fault('move-refused', { reason });
    if (index.placement === undefined) throw refuse('it is on no node');
    if (!isReady(index.state)) throw refuse('it is not ready');
    if (index.modelChange !== undefined) throw refuse('its model is being changed');
    if (index.placement.nodeId === target.id) throw refuse('it is on this node already');
    const source = nodes.find(({ id }) => id === index.placement?.nodeId);
    for (const node of [source, target])
      if (node?.isAlive !== true) throw refuse(`node ${node?.address ?? ''} does not answer`);
    return moveOf(await this.#start(index, target));
  }

  async latestMove(name: IndexName): Promise<Move | null> {
    const job = await this.#starter.latest(this.#index(name));
    return job === undefined ? null : moveOf(job);
  }

  #start(index: Index, to: Node): Promise<Job> {
    const input: MoveInput = { indexName: index.name, toNodeId: to.id };
    return this.#starter.start(index, { subject: null, input });
  }

  #index({ projectId, name }: IndexName): Index {
    const index = this.#parts.indexByName(projectId, name);
    if (index === undefined || index.state === 'Terminating') throw fault('index-not-found', { name });
    return index;
  }

  async #find(id: string): Promise<Node> {
    const node = (await this.list()).find((each) => each.id === id || each.address === id);
    if (node === undefined) throw fault('node-not-found', { node: id.slice(0, 200) });
    return node;
  }
}

function moveOf(job: Job): Move {
  const { id, state, error, createdAt, finishedAt, input, progress } = jobOfKind<MoveInput, MoveProgress>(
    job,
  );
  return { id, state, error, createdAt, finishedAt, ...input, ...(progress ?? NOT_BEGUN) };
}
