// The lifecycle of an index as the control plane sees it: catalog row, engine and port change together.
import type { ProjectAccess } from './access.ts';
import type { DocumentSchema } from './document-schema.ts';
import type { IndexEmbedding } from './embedding/index-embedding.ts';
import type { TimeToLive } from './expiry/time-to-live.ts';
import type {
  DeletionProtection,
  Deployment,
  Index,
  IndexProfile,
  Metric,
  VectorType,
} from './index-model.ts';
import type { MemoryProfile } from './memory-profile.ts';
import type { RequestedCapacity } from './read-capacity.ts';
import type { OfferedRegions } from './regions.ts';

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
  /** The schema of a document index; null for indexes of the vectors API. */
  readonly documents: DocumentSchema | null;
  /** Absent where records do not expire. */
  readonly timeToLive?: TimeToLive;
  /** As in `Index`. */
  readonly promisedRecall?: number;
  readonly memoryProfile?: MemoryProfile;
}

/** A well-formed change; absent keys keep their values. A tag set to '' is removed. */
export interface IndexChange {
  readonly deletionProtection?: DeletionProtection;
  readonly tags?: Readonly<Record<string, string>>;
  readonly readCapacity?: RequestedCapacity;
  readonly podType?: string;
  readonly replicas?: number;
  /** The kind of index that the caller expects; another kind is refused. */
  readonly deploymentKind?: Deployment['kind'];
  /** Computes the new embedding from the index at the time of the change; throws to refuse. */
  readonly embed?: (index: Index) => IndexEmbedding | null;
  /** Computes the new schema of documents; only the sources of their embeddings may change. */
  readonly documents?: (index: Index) => DocumentSchema | null;
  /** Null to let records live for ever. */
  readonly timeToLive?: TimeToLive | null;
  /** Null to promise nothing more. */
  readonly promisedRecall?: number | null;
  /** Null for the server's default. */
  readonly memoryProfile?: MemoryProfile | null;
  /** Computes the index with other vectors or another state of their change; throws to refuse. */
  readonly vectors?: (index: Index) => Index;
}

export interface IndexLifecycle {
  /** The clouds and regions that an index may name. */
  readonly regions: OfferedRegions;
  /** Ready to serve when it resolves. @throws name-taken, index-ports-exhausted */
  create(access: ProjectAccess, requested: NewIndex): Promise<Index>;
  /** In name order, including indexes that are being deleted. */
  list(access: ProjectAccess): Promise<readonly Index[]>;
  /** @throws index-not-found */
  describe(access: ProjectAccess, name: string): Promise<Index>;
  /** @throws index-not-found, capacity-change-running, invalid-argument */
  configure(access: ProjectAccess, name: string, change: IndexChange): Promise<Index>;
  /** Resolves once the deletion is stored; it continues in the background. @throws index-not-found, deletion-protected, pending-collections */
  remove(access: ProjectAccess, name: string): Promise<void>;
  /** Returns the `host` field of an index. */
  hostOf(index: Index): string;
}

/** The look-ups of every data plane request: in memory and synchronous. */
export interface IndexDirectory {
  byPort(port: number): Index | undefined;
  /** `hostname` without a port, in any case. Finds indexes that are served by virtual hosts. */
  byHost(hostname: string): Index | undefined;
  byName(projectId: string, name: string): Index | undefined;
  profile(indexId: string): IndexProfile | undefined;
}

/** The server's listening sockets, one per index. */
export interface PortDirectory {
  /** @throws an error with code EADDRINUSE when another process has the port */
  listen(port: number): Promise<void>;
  /** No effect when the port is not open. */
  close(port: number): Promise<void>;
}
