// Lists nodes, has indexes moved between them, and empties nodes that are to be stopped for good.
import type { NodeStore } from '../../catalog/port.ts';
import { fault } from '../../domain/faults.ts';
import { type Index, isReady } from '../../domain/index-model.ts';
import { isActive, type Job } from '../../domain/jobs.ts';
import { chooseNode } from '../../domain/nodes/choose-node.ts';
import type { AssistantMove, IndexMove, MoveInput } from '../../domain/nodes/moves.ts';
import type { Node } from '../../domain/nodes/node.ts';
import type { IndexName, NodeAdministration } from '../../domain/nodes/services.ts';
import { MOVE_KIND, RECOVERY_KIND } from '../../domain/nodes/takeover.ts';
import { IndexJobStarter } from '../index-job-starter.ts';
import { AssistantMoves, type AssistantMovesParts } from './assistant-moves.ts';
import { indexMoveOf, Recoveries, type RecoveriesParts, refused } from './recoveries.ts';

export interface NodeServiceParts {
  readonly catalog: RecoveriesParts['catalog'] & AssistantMovesParts['catalog'];
  readonly jobs: AssistantMovesParts['jobs'];
  readonly createCopy: AssistantMovesParts['createCopy'];
  readonly organizationId: string;
  /** This node's; null where nodes have no records of their own. */
  readonly nodeId: string | null;
  readonly store: NodeStore;
  readonly indexByName: (projectId: string, name: string) => Index | undefined;
  readonly allIndexes: () => readonly Index[];
}

export class NodeService implements NodeAdministration {
  readonly organizationId: string;
  readonly #parts: NodeServiceParts;
  readonly #starter: IndexJobStarter;
  readonly #recoveries: Recoveries;
  readonly #assistants: AssistantMoves;

  constructor(parts: NodeServiceParts) {
    this.organizationId = parts.organizationId;
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, MOVE_KIND, [RECOVERY_KIND]);
    this.#recoveries = new Recoveries(parts);
    this.#assistants = new AssistantMoves(parts);
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
    for (const assistant of await this.#assistants.at(nodeId)) {
      const to = chooseNode(nodes, (id) => moved.get(id) ?? 0);
      if (to === null) return;
      moved.set(to.id, (moved.get(to.id) ?? 0) + 1);
      await this.#assistants.start(assistant, to);
    }
  }

  async forget(id: string): Promise<void> {
    const node = await this.#find(id);
    if (!(await this.#parts.store.forget(node.id))) throw fault('node-in-use', { node: node.address });
  }

  async move(name: IndexName, to: string): Promise<IndexMove> {
    const index = this.#index(name);
    const nodes = await this.list();
    const target = nodeIn(nodes, to);
    if (index.placement === undefined) throw refused('it is on no node');
    if (!isReady(index.state)) throw refused('it is not ready');
    if (index.modelChange !== undefined) throw refused('its model is being changed');
    requireMovable(nodes, { from: index.placement.nodeId, target });
    return indexMoveOf(await this.#start(index, target));
  }

  async moveFromBackup(name: IndexName, to: string, backup: string): Promise<IndexMove> {
    const index = this.#index(name);
    const nodes = await this.list();
    return this.#recoveries.start(index, { nodes, target: nodeIn(nodes, to), backup });
  }

  async latestMove(name: IndexName): Promise<IndexMove | null> {
    const index = this.#index(name);
    const jobs = [await this.#starter.latest(index), await this.#recoveries.latest(index)];
    const newestFirst = jobs
      .filter((job) => job !== undefined)
      .toSorted((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
    const latest = newestFirst.find(isActive) ?? newestFirst[0];
    return latest === undefined ? null : indexMoveOf(latest);
  }

  async moveAssistant(name: IndexName, to: string, fromFiles: boolean): Promise<AssistantMove> {
    const nodes = await this.list();
    const assistant = await this.#assistants.find(name);
    const target = nodeIn(nodes, to);
    const from = await this.#assistants.placementOf(assistant);
    if (fromFiles) return this.#assistants.takeOver(assistant, { nodes, target, from });
    requireMovable(nodes, { from: from.nodeId, target });
    return this.#assistants.start(assistant, target);
  }

  async latestAssistantMove(name: IndexName): Promise<AssistantMove | null> {
    return this.#assistants.latest(await this.#assistants.find(name));
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

/** @param to id or address @throws node-not-found */
function nodeIn(nodes: readonly Node[], to: string): Node {
  const node = nodes.find(({ id, address }) => id === to || address === to.replace(/\/+$/, ''));
  if (node === undefined) throw fault('node-not-found', { node: to.slice(0, 200) });
  return node;
}

/** @throws move-refused unless both nodes are alive, and not one */
function requireMovable(
  nodes: readonly Node[],
  { from, target }: { readonly from: string; readonly target: Node },
): void {
  if (from === target.id) throw refused('it is on this node already');
  const source = nodes.find(({ id }) => id === from);
  if (source?.isAlive !== true)
    throw refused(
      `node ${source?.address ?? from} does not answer. If it is gone for good, have it made anew`,
    );
  if (!target.isAlive) throw refused(`node ${target.address} does not answer`);
}
