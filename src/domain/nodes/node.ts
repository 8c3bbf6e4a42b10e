// A node with records of its own, and which of several has an index.

/** How long a node owns its indexes after each renewal, by the database's clock. */
export const NODE_LEASE_MS = 8_000;
/** How long it serves them, by its own clocks: less, so that it has stopped before another could begin. */
export const NODE_SERVING_MS = 5_000;

/** What a node tells of itself. */
export interface NodeReport {
  readonly memoryFreeBytes: number;
  readonly diskFreeBytes: number;
}

export interface Node extends NodeReport {
  /** UUID, which stays with its data directory. */
  readonly id: string;
  /** The base address at which other nodes reach it, as `http://10.0.0.2:5080`. */
  readonly address: string;
  readonly release: string;
  /** When it last renewed its lease, as ISO 8601. */
  readonly seenAt: string;
  /** False once its lease has expired. */
  readonly isAlive: boolean;
  /** The number of indexes and assistants that it has. */
  readonly placed: number;
  /** True while it gets no new indexes. */
  readonly isDraining: boolean;
}

/** Which node has an index, or the indexes of an assistant. */
export interface Placement {
  readonly nodeId: string;
  /** The fencing token: grows by one whenever the owner changes. */
  readonly epoch: number;
}

/** A copy of an index on another node: not finished yet, or left behind by a move. */
export interface PlacedCopy {
  readonly nodeId: string;
  /** Names its folder. */
  readonly storageId: string;
}
