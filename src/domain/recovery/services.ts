// The recovery of one index to a moment, as the APIs request it.
import type { ProjectAccess } from '../access.ts';
import type { Page, PageQuery } from '../administration/pages.ts';
import type { RequestedRestore } from '../backups/archive-rules.ts';
import type { Job } from '../jobs.ts';

/** An index of the present or the past. Times are ISO texts. */
export interface RecoverableIndex {
  readonly id: string;
  /** Its last one. */
  readonly name: string;
  /** The last moment with it; null while it is there. */
  readonly lastAt: string | null;
  /** The moments to which it can be recovered, the oldest first; both ends are among them. */
  readonly spans: readonly { readonly from: string; readonly to: string }[];
}

export interface RecoveryRequest extends RequestedRestore {
  /** In milliseconds since 1970. */
  readonly moment: number;
}

export interface IndexRecoveryInput {
  readonly sourceId: string;
  readonly sourceName: string;
  /** In milliseconds since 1970. */
  readonly moment: number;
  /** Where the log is, the storage in it, and the last object to read. */
  readonly timeline: string;
  readonly storage: string;
  readonly last: number;
  readonly indexId: string;
  readonly indexName: string;
}

/** The job that fills an index with the records of another, as they were. */
export interface IndexRecovery extends Omit<Job, 'input'> {
  readonly input: IndexRecoveryInput;
}

export interface IndexRecoveries {
  /** False where this server keeps no recovery log. */
  readonly isOn: boolean;
  /** By name, deleted ones too; those whose moments are not kept any more are left out. */
  recoverable(access: ProjectAccess): readonly RecoverableIndex[];
  /** By its name or, also when it was deleted, its id. @throws index-not-found */
  describe(access: ProjectAccess, nameOrId: string): Promise<RecoverableIndex>;
  /**
   * Resolves when the new index exists in Initializing.
   * @throws index-not-found; invalid-argument where the moment cannot be recovered; name-taken, quota-exceeded
   */
  start(access: ProjectAccess, nameOrId: string, request: RecoveryRequest): Promise<IndexRecovery>;
  /** @throws recovery-not-found */
  job(access: ProjectAccess, id: string): Promise<IndexRecovery>;
  /** Newest first. */
  jobs(access: ProjectAccess, page: PageQuery): Promise<Page<IndexRecovery>>;
}
