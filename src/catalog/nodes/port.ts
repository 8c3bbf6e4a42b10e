// The catalog's port for nodes with records of their own: their leases, and which of them has what.
import type { Index } from '../../domain/index-model.ts';
import type { NewJob } from '../../domain/jobs.ts';
import type { Node, NodeReport, PlacedCopy, Placement } from '../../domain/nodes/node.ts';

export type { Node, NodeReport, PlacedCopy, Placement } from '../../domain/nodes/node.ts';

/** The present process of a node. */
export interface NodeProcess {
  readonly id: string;
  /** Names the process: of two with one id, one has the lease. */
  readonly incarnation: string;
}

export interface NodeLease extends NodeProcess, NodeReport {
  readonly address: string;
  readonly release: string;
  readonly leaseMs: number;
  /**
   * Whether this process serves by its last renewal. The lease is then prolonged without waiting for changes of others: it
   * counts only if the process still serves by the last one when this one is answered. Otherwise one that takes over what the
   * node has may be under way, and the lease is taken in turn.
   */
  readonly isHeld: boolean;
}

/** Of an index or an assistant. */
export interface PlacementRow extends Placement {
  readonly id: string;
  /** True while a move switches: no job of it begins. */
  readonly isHeld: boolean;
  readonly copy: PlacedCopy | null;
}

/** Names a placement as it was read: a change of it fails when it has another epoch by now. */
export interface PlacementRef extends Placement {
  readonly id: string;
}

/** An index of a dead node, which a job makes anew at another one. */
export interface IndexTakeover {
  readonly ref: PlacementRef;
  readonly nodeId: string;
  /** Of the new storage. */
  readonly storageId: string;
  /** Gives the index what is known of the vectors that it will have. */
  readonly withVectors: (index: Index) => Index;
  readonly job: NewJob;
}

/** Where the chunks of an assistant are. */
export interface ChunkStorages {
  readonly denseIndexId: string;
  readonly sparseIndexId: string;
}

/** An assistant of a dead node, whose files a job processes again at another one. */
export interface AssistantTakeover extends ChunkStorages {
  readonly ref: PlacementRef;
  readonly nodeId: string;
  readonly job: NewJob;
}

/** A copy of an assistant's chunks that a job makes at another node. */
export interface AssistantCopy extends ChunkStorages {
  readonly nodeId: string;
  readonly jobId: string;
}

/** Storage on a node that does not answer. */
export interface Leftover {
  readonly nodeId: string;
  readonly storageId: string;
  /** The move that makes it; null for what is to be removed. */
  readonly jobId: string | null;
  /** Which of an assistant's indexes it is a copy of. */
  readonly part: 'dense' | 'sparse' | null;
  /** ISO 8601, by the shared clock. */
  readonly since: string;
}

export interface NodeStore {
  /**
   * Takes or renews the lease of a node, by the database's clock.
   * @returns false while another process has it
   */
  renew(lease: NodeLease): Promise<boolean>;
  /** Ends the lease; the row stays. No effect for a process that has it no more. */
  leave(process: NodeProcess): Promise<void>;
  /** In the order of their addresses. */
  list(): Promise<readonly Node[]>;
  setDraining(id: string, isDraining: boolean): Promise<boolean>;
  /** Removes a node that has nothing that answers, and whose lease has expired. @returns false otherwise */
  forget(id: string): Promise<boolean>;
  /** What has no placement yet, and the folder that its node has. */
  unplaced(): Promise<readonly { readonly id: string; readonly storageId: string }[]>;
  placements(): Promise<readonly PlacementRow[]>;
  placementOf(id: string): Promise<PlacementRow | null>;
  /** Places what has no placement yet. */
  adopt(ids: readonly string[], nodeId: string): Promise<void>;
  /** Notes a copy that is about to be made, in place of none. @returns false when there is one, or another owner */
  beginCopy(ref: PlacementRef, copy: PlacedCopy): Promise<boolean>;
  /**
   * Holds back the jobs of an index, unless others than `exceptJobId` are active that have begun.
   * @returns false when such a job is there, or another owner
   */
  hold(ref: PlacementRef, exceptJobId: string): Promise<boolean>;
  /** Lets jobs begin again. */
  release(id: string): Promise<void>;
  /**
   * Exchanges the index and its copy: the copy answers from now on, with the next epoch, and what answered is the copy.
   * @param ref.storageId of the index at present
   * @returns false when the owner, the copy or the storage is another one, or the node of the copy is not alive
   */
  exchange(ref: PlacementRef & { readonly storageId: string }, copy: PlacedCopy): Promise<boolean>;
  /** Decides that the copy will never answer, so that it may be removed. @returns false when there is no such copy */
  condemnCopy(id: string, copy: PlacedCopy): Promise<boolean>;
  /** Forgets the copy, which is removed. */
  endCopy(id: string, copy: PlacedCopy): Promise<void>;

  /**
   * Gives an index of a dead node to another one, in Initializing and with the next epoch; its jobs fail, or are undone.
   * @returns false when its node is alive, the other one is not, or it has another owner or is being deleted
   */
  takeOverIndex(takeover: IndexTakeover): Promise<boolean>;
  /**
   * Gives an assistant of a dead node to another one, which has made its indexes, as `beginAssistantCopy` notes them. Its
   * files are Processing.
   * @returns as `takeOverIndex`
   */
  takeOverAssistant(takeover: AssistantTakeover): Promise<boolean>;
  /** Notes the copy of an assistant's chunks that a job is about to make. */
  beginAssistantCopy(copy: AssistantCopy): Promise<void>;
  /**
   * Exchanges an assistant's chunks and their copy, as `exchange` does.
   * @param ref with what answers at present
   */
  exchangeAssistant(ref: PlacementRef & ChunkStorages, copy: AssistantCopy): Promise<boolean>;
  /** Decides that the copies of a job will never answer. */
  abandonCopies(jobId: string): Promise<void>;
  leftovers(nodeId: string): Promise<readonly Leftover[]>;
  /** Decides that a leftover will never answer, so that it may be removed. @returns false while its job is active */
  condemnLeftover(leftover: Leftover): Promise<boolean>;
  /** Forgets a leftover, which is removed. */
  endLeftover(leftover: Leftover): Promise<void>;
}
