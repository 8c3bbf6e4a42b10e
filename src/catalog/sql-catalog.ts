// The catalog over SQL: the same queries for every dialect that Kysely speaks.

import type { Kysely } from 'kysely';
import { sqlAdministration } from './administration/sql-administration.ts';
import { sqlAliases } from './aliases/sql-aliases.ts';
import { sqlAssistants } from './assistants/sql-assistants.ts';
import { sqlAssistantFiles } from './assistants/sql-files.ts';
import { sqlOperations } from './assistants/sql-operations.ts';
import { sqlRevisions } from './assistants/sql-revisions.ts';
import { sqlArchives } from './backups/archives.ts';
import { sqlSchedules } from './backups/schedules.ts';
import { type CatalogClock, OWN_CLOCK } from './catalog-clock.ts';
import type { SessionStore } from './console-sessions/port.ts';
import { sqlSessions } from './console-sessions/sql-sessions.ts';
import type { ForeignChanges, NodeChanges } from './foreign-changes.ts';
import { sqlImportErrors } from './imports/sql-import-errors.ts';
import { sqlIndexes } from './indexes/sql-indexes.ts';
import { sqlJobs } from './jobs/sql-jobs.ts';
import { sqlJudgmentSets } from './judgments/sql-judgment-sets.ts';
import { sqlNodes } from './nodes/sql-nodes.ts';
import type { ReadCatalogPages } from './pages.ts';
import type {
  AdministrationStore,
  AliasStore,
  ArchiveStore,
  AssistantFileStore,
  AssistantStore,
  Catalog,
  ImportErrorStore,
  IndexStore,
  JobStore,
  JudgmentSetStore,
  NodeStore,
  OperationStore,
  RevisionStore,
  ScheduleStore,
  SettingStore,
} from './port.ts';
import type { CatalogSchema } from './schema.ts';
import { sqlSettings } from './sql-settings.ts';

export interface SqlCatalogOptions {
  /** For changes of rows that have one writer, which need not wait for others. Default: the database itself. */
  readonly beside?: Kysely<CatalogSchema>;
  /** By which leases and due times are compared. Default: this process's. */
  readonly clock?: CatalogClock;
  /** Of other nodes; null where there are none, as by default. */
  readonly changes?: NodeChanges | null;
  /** What this node hears of changes that it does not know. Default: `changes`; nothing where that is null. */
  readonly foreign?: ForeignChanges;
  /** The id of this node, where each has records of its own; null, as by default, where it is alone or has none. */
  readonly nodeId?: string | null;
  /** Default: it is in no file of its own. */
  readonly pages?: ReadCatalogPages | null;
  /** Called when the database is closed. */
  readonly onClose?: () => Promise<void>;
}

const NOTHING_FOREIGN: ForeignChanges = { listen: () => undefined };

/** Expects a migrated database; `close` destroys it. */
export class SqlCatalog implements Catalog {
  readonly settings: SettingStore;
  readonly consoleSessions: SessionStore;
  readonly administration: AdministrationStore;
  readonly nodeId: string | null;
  readonly nodes: NodeStore;
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
  readonly changes: NodeChanges | null;
  readonly foreign: ForeignChanges;
  readonly pages: ReadCatalogPages | null;
  readonly #db: Kysely<CatalogSchema>;
  readonly #onClose: () => Promise<void>;

  constructor(db: Kysely<CatalogSchema>, options: SqlCatalogOptions = {}) {
    const { beside = db, clock = OWN_CLOCK, changes = null, nodeId = null, pages = null } = options;
    const { onClose = () => Promise.resolve(), foreign = changes ?? NOTHING_FOREIGN } = options;
    this.#db = db;
    this.#onClose = onClose;
    this.changes = changes;
    this.foreign = foreign;
    this.nodeId = nodeId;
    this.nodes = sqlNodes(db, beside, clock);
    this.pages = pages;
    this.settings = sqlSettings(db);
    this.consoleSessions = sqlSessions(db);
    this.indexes = sqlIndexes(db, clock, nodeId);
    this.namespaceAliases = sqlAliases(db);
    this.judgmentSets = sqlJudgmentSets(db);
    this.administration = sqlAdministration(db, foreign);
    this.jobs = sqlJobs(db, clock, nodeId);
    this.archives = sqlArchives(db);
    this.schedules = sqlSchedules(db, clock);
    this.importErrors = sqlImportErrors(db);
    this.assistants = sqlAssistants(db, clock, nodeId);
    this.assistantFiles = sqlAssistantFiles(db);
    this.assistantRevisions = sqlRevisions(db);
    this.assistantOperations = sqlOperations(db);
  }

  async close(): Promise<void> {
    // The connection is only available after earlier work has returned it, so nothing is interrupted.
    await this.#db.connection().execute(() => Promise.resolve());
    await this.#db.destroy();
    await this.#onClose();
  }
}
