// The life of an index as the control plane sees it: the catalog row, its engine and its port move together.
import type { ProjectAccess } from './access.ts';
import type { IndexEmbedding } from './embedding/index-embedding.ts';
import type {
  DeletionProtection,
  Deployment,
  Index,
  IndexProfile,
  Metric,
  VectorType,
} from './index-model.ts';
import type { RequestedCapacity } from './read-capacity.ts';
import type { Region } from './regions.ts';

/** A checked request for a new index. */
export interface NewIndex {
  readonly name: string;
  readonly vectorType: VectorType;
  readonly metric: Metric;
  readonly dimension: number | null;
  readonly deployment: Deployment;
  readonly deletionProtection: DeletionProtection;
  readonly tags: Readonly<Record<string, string>>;
  /** Null without integrated embedding. */
  readonly embed: IndexEmbedding | null;
}

/** A change whose parts are well-formed; absent keys stay as they are. A tag set to '' is removed. */
export interface IndexChange {
  readonly deletionProtection?: DeletionProtection;
  readonly tags?: Readonly<Record<string, string>>;
  readonly readCapacity?: RequestedCapacity;
  readonly podType?: string;
  readonly replicas?: number;
  /** The kind of index the caller took it for; another kind is refused. */
  readonly deploymentKind?: Deployment['kind'];
  /** Makes the new embedding from the index as it is when the change is made; throws to refuse. */
  readonly embed?: (index: Index) => IndexEmbedding | null;
}

export interface IndexLifecycle {
  /** What an index may name as its cloud and region; never empty. */
  readonly regions: readonly Region[];
  /** Ready to serve when it resolves. @throws name-taken, index-ports-exhausted */
  create(access: ProjectAccess, requested: NewIndex): Promise<Index>;
  /** In name order; indexes under deletion are still there. */
  list(access: ProjectAccess): Promise<readonly Index[]>;
  /** @throws index-not-found */
  describe(access: ProjectAccess, name: string): Promise<Index>;
  /** @throws index-not-found, capacity-change-running, invalid-argument */
  configure(access: ProjectAccess, name: string, change: IndexChange): Promise<Index>;
  /** Resolves when the deletion is sure to happen; the rest goes on behind. @throws index-not-found, deletion-protected, pending-collections */
  remove(access: ProjectAccess, name: string): Promise<void>;
  /** The `host` field of an index. */
  hostOf(index: Index): string;
}

/** What the server asks on every data plane request: all in memory, all synchronous. */
export interface IndexDirectory {
  byPort(port: number): Index | undefined;
  /** `hostname` without a port, in any case. Finds indexes that are served by virtual hosts. */
  byHost(hostname: string): Index | undefined;
  profile(indexId: string): IndexProfile | undefined;
}

/** The server's listening sockets, one per index. */
export interface PortDirectory {
  /** @throws an error with code EADDRINUSE when another process has the port */
  listen(port: number, indexId: string): Promise<void>;
  /** No effect when the port is not open. */
  close(port: number): Promise<void>;
}
