// The catalog port: organizations, projects, principals and indexes. Small rows, read often, changed seldom.

import type { Index } from '../domain/index-model.ts';
import type { AdministrationStore } from './administration-port.ts';
import type { AssistantFileStore, AssistantStore, OperationStore } from './assistants/port.ts';
import type { ArchiveStore, ScheduleStore } from './backups/port.ts';
import type { ImportErrorStore } from './imports/port.ts';
import type { JobStore } from './jobs/port.ts';

export type * from './administration-port.ts';
export type * from './assistants/port.ts';
export type * from './backups/port.ts';
export type * from './imports/port.ts';
export type * from './jobs/port.ts';

/** Which index name a port was last given to. Outlives the index. */
export interface PortGrant {
  readonly port: number;
  readonly projectId: string;
  readonly indexName: string;
}

/** State of the control plane. Every change is on disk when its promise resolves. */
export interface Catalog {
  /** Facts about this installation that are no row of their own; the caller picks the names. */
  getSetting(name: string): Promise<string | null>;
  setSetting(name: string, value: string): Promise<void>;

  readonly administration: AdministrationStore;
  readonly jobs: JobStore;
  readonly archives: ArchiveStore;
  readonly schedules: ScheduleStore;
  readonly importErrors: ImportErrorStore;
  readonly assistants: AssistantStore;
  readonly assistantFiles: AssistantFileStore;
  readonly assistantOperations: OperationStore;

  /** Every index of every project, in name order. */
  listIndexes(): Promise<readonly Index[]>;
  /**
   * Also grants the index its port, in the same transaction.
   * @throws name-taken when the project has an index of this name, whatever its state; unauthenticated when
   *   the project is gone or being deleted
   */
  insertIndex(index: Index): Promise<void>;
  /** Replaces the row of `index.id` and grants its port. No effect when there is no such row. */
  updateIndex(index: Index): Promise<void>;
  /**
   * As `updateIndex`, for one whose deletion begins: its backups say so, its schedules go.
   * @throws pending-collections
   */
  retireIndex(index: Index): Promise<void>;
  /** No effect when there is no such row. The grant of its port stays. */
  deleteIndex(id: string): Promise<void>;
  /** Ports ever given to an index, longest ago first. */
  listPortGrants(): Promise<readonly PortGrant[]>;

  close(): Promise<void>;
}

export type OpeningProblem = 'in-use' | 'damaged' | 'unusable' | 'newer';

/** The catalog cannot be opened; the message is for the person who starts the server. */
export class CatalogOpenError extends Error {
  readonly problem: OpeningProblem;

  constructor(problem: OpeningProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CatalogOpenError';
    this.problem = problem;
  }
}
