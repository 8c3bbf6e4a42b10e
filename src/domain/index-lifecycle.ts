// The life of an index as the control plane sees it: the catalog row, its engine and its port move together.
import type { ProjectAccess } from './access.ts';
import type {
  DeletionProtection,
  Deployment,
  Index,
  Metric,
  ReadCapacity,
  VectorType,
} from './index-model.ts';

/** A checked request for a new index. */
export interface NewIndex {
  readonly name: string;
  readonly vectorType: VectorType;
  readonly metric: Metric;
  readonly dimension: number | null;
  readonly deployment: Deployment;
  readonly deletionProtection: DeletionProtection;
  readonly tags: Readonly<Record<string, string>>;
}

/** A checked change; absent keys stay as they are. A tag set to '' is removed. */
export interface IndexChange {
  readonly deletionProtection?: DeletionProtection;
  readonly tags?: Readonly<Record<string, string>>;
  readonly readCapacity?: ReadCapacity;
  readonly podType?: string;
  readonly replicas?: number;
}

export interface IndexLifecycle {
  /** Ready to serve when it resolves. @throws name-taken, index-ports-exhausted */
  create(access: ProjectAccess, wanted: NewIndex): Promise<Index>;
  /** In name order. */
  list(access: ProjectAccess): Promise<readonly Index[]>;
  /** @throws index-not-found */
  describe(access: ProjectAccess, name: string): Promise<Index>;
  /** @throws index-not-found, capacity-change-running */
  configure(access: ProjectAccess, name: string, change: IndexChange): Promise<Index>;
  /** @throws index-not-found, deletion-protected */
  remove(access: ProjectAccess, name: string): Promise<void>;
  /** The `host` field of an index. */
  hostOf(index: Index): string;
}
