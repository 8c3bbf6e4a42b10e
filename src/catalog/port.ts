// The catalog port: the rows of the control plane, small, often read and seldom changed.

import type { Index } from '../domain/index-model.ts';
import type { AdministrationStore } from './administration/port.ts';
import type { AliasStore } from './aliases/port.ts';
import type { AssistantFileStore, AssistantStore, OperationStore, RevisionStore } from './assistants/port.ts';
import type { ArchiveStore, ScheduleStore } from './backups/port.ts';
import type { SessionStore } from './console-sessions/port.ts';
import type { ForeignChanges, NodeChanges } from './foreign-changes.ts';
import type { ImportErrorStore } from './imports/port.ts';
import type { JobStore } from './jobs/port.ts';
import type { JudgmentSetStore } from './judgments/port.ts';
import type { NodeStore } from './nodes/port.ts';
import type { ReadCatalogPages } from './pages.ts';

export type * from './administration/port.ts';
export type * from './aliases/port.ts';
export type * from './assistants/port.ts';
export type * from './backups/port.ts';
export type * from './console-sessions/port.ts';
export type * from './imports/port.ts';
export type * from './jobs/port.ts';
export type * from './judgments/port.ts';
export type * from './nodes/port.ts';
export type * from './pages.ts';

/** The index name that a port was last granted to; outlives the index. */
export interface PortGrant {
  readonly port: number;
  readonly projectId: string;
  readonly indexName: string;
  /** When the index was deleted, as ISO 8601; null while it exists, and where an earlier release deleted it. */
  readonly retiredAt: string | null;
}

/** Values of this installation that have no row of their own; callers choose the names. */
export interface SettingStore {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
}

export interface IndexStore {
  /** Every index of every project, in name order. */
  list(): Promise<readonly Index[]>;
  /**
   * Also grants the index its port, in the same transaction.
   * @throws name-taken when the project has an index of this name, whatever its state; unauthenticated when
   *   the project is gone or being deleted
   */
  insert(index: Index): Promise<void>;
  /**
   * Changes an index as it is in the catalog, whoever has changed it before, and grants its port: in one transaction, so
   * that no change is lost.
   * @param change returns the index as it shall be; the same object to leave it. What it throws changes nothing
   * @returns the index as it is then; null without such a row
   * @throws index-elsewhere; node-unavailable while its node is dead, for a change of more than tags and deletion
   *   protection
   */
  update(id: string, change: (index: Index) => Index): Promise<Index | null>;
  /**
   * Begins the deletion of an index, in one transaction as `update`: marks its backups and removes its schedules. Where
   * nodes have records of their own, takes over what a dead node has.
   * @param admit whether to begin it, by the index as it is; what it throws changes nothing
   * @returns the index as it is then; null without such a row
   * @throws pending-collections, index-elsewhere
   */
  retire(id: string, admit: (index: Index) => boolean): Promise<Index | null>;
  /**
   * Makes an index in Initializing that no active job fills Terminating; leaves any other as it is. Looks at both in one
   * transaction.
   * @returns the index as it is then; null without such a row
   * @throws index-elsewhere
   */
  endUnfilled(id: string): Promise<Index | null>;
  /** Also deletes its namespace aliases and judgment sets. No effect without such a row. The grant of its port stays. */
  delete(id: string): Promise<void>;
  /** Every port ever granted to an index, the oldest grant first. */
  portGrants(): Promise<readonly PortGrant[]>;
}

/** State of the control plane. Every change is on disk when its promise resolves. */
export interface Catalog {
  /** The id of this node, where each has records of its own; null where it is alone or has none. */
  readonly nodeId: string | null;
  readonly nodes: NodeStore;
  readonly settings: SettingStore;
  readonly consoleSessions: SessionStore;
  readonly administration: AdministrationStore;
  readonly indexes: IndexStore;
  readonly namespaceAliases: AliasStore;
  readonly judgmentSets: JudgmentSetStore;
  readonly jobs: JobStore;
  readonly archives: ArchiveStore;
  readonly schedules: ScheduleStore;
  readonly importErrors: ImportErrorStore;
  readonly assistants: AssistantStore;
  readonly assistantFiles: AssistantFileStore;
  readonly assistantRevisions: RevisionStore;
  readonly assistantOperations: OperationStore;
  /** How this node follows the others; null where it is alone. */
  readonly changes: NodeChanges | null;
  /** Tells of changes that this node does not know; never where it alone can make any and hears the outcome of each. */
  readonly foreign: ForeignChanges;
  /** Reads the pages of its file; null where it is in no file of its own. */
  readonly pages: ReadCatalogPages | null;
  close(): Promise<void>;
}

export type { ForeignChanges, NodeChanges };

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
