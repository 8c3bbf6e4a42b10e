// The catalog's port for assistants, their files and operations.
import type { Page, PageQuery } from '../../domain/administration/pages.ts';
import type { Assistant, AssistantState, ChunkLocation } from '../../domain/assistants/assistant.ts';
import type {
  AssistantFile,
  FileRevision,
  FileState,
  Operation,
  OperationState,
  OperationType,
  RevisionProcessing,
} from '../../domain/assistants/file.ts';
import type { NewJob } from '../../domain/jobs.ts';
import type { Metadata } from '../../domain/records/record.ts';

export type * from '../../domain/assistants/assistant.ts';
export type * from '../../domain/assistants/file.ts';

export interface AssistantStore {
  /** Also stores the job that makes it ready. @throws name-taken; unauthenticated when the project is gone */
  insert(assistant: Assistant, job: NewJob): Promise<void>;
  find(projectId: string, name: string): Promise<Assistant | null>;
  byId(id: string): Promise<Assistant | null>;
  /** Newest first. */
  list(projectId: string, page: PageQuery): Promise<Page<Assistant>>;
  /** Absent fields keep their values. Null when it is deleted or being deleted. */
  change(
    id: string,
    change: Partial<Pick<Assistant, 'instructions' | 'metadata'>> & Pick<Assistant, 'updatedAt'>,
  ): Promise<Assistant | null>;
  /** False when the transition is not allowed. */
  move(id: string, to: Exclude<AssistantState, 'Terminating'>): Promise<boolean>;
  /**
   * Moves the chunks to other indexes: live revisions become stale, and their files are Processing. No effect
   * when the chunks are already there.
   * @returns false when the assistant is deleted or being deleted
   */
  moveChunks(id: string, place: ChunkLocation): Promise<boolean>;
  /** Sets the state to Terminating and stores the job that removes it. No effect in Terminating. */
  beginRemoval(id: string, job: NewJob): Promise<void>;
  /** Removes it with everything that belongs to it. */
  remove(id: string): Promise<void>;
}

export interface FileQuery {
  readonly assistantId: string;
  /** Selects files; null selects all. */
  readonly accepts: ((metadata: Metadata) => boolean) | null;
}

export interface FileRef {
  readonly assistantId: string;
  readonly fileId: string;
}

/** A new upload: its revision, its operation, and the job that processes it. */
export interface Staging {
  readonly revision: FileRevision;
  readonly operation: Operation;
  readonly job: NewJob;
}

/** A new deletion. */
export interface FileRemoval {
  readonly operation: Operation;
  /** True where a job is to end the file even when nothing of it is left to remove. */
  readonly staysShown?: boolean;
  /** Returns the job that removes the rest of a revision. */
  readonly jobFor: (revision: FileRevision) => NewJob;
}

export interface FileCount {
  readonly projectId: string;
  readonly assistantName: string;
  readonly state: FileState;
  readonly files: number;
}

export interface AssistantFileStore {
  find(ref: FileRef): Promise<AssistantFile | null>;
  /** Newest first. */
  list(query: FileQuery, page: PageQuery): Promise<Page<AssistantFile>>;
  /** Counts the files of a project's assistants by state; leaves out what there is none of. */
  counts(projectId: string | null): Promise<readonly FileCount[]>;
  /**
   * Stores an upload; an earlier one of the same file that is still being processed gives way.
   * @returns the revisions that gave way, whose jobs the caller cancels
   * @throws assistant-not-found when the assistant is being deleted; file-deleting
   */
  stage(staging: Staging): Promise<readonly string[]>;
  /**
   * Ends the file for its callers; all its revisions are dead from now on.
   * @returns null when there is no such file, or the operation, completed when nothing was left to remove, and the
   *   revisions whose processing the caller cancels
   */
  beginRemoval(
    ref: FileRef,
    removal: FileRemoval,
  ): Promise<{ readonly operation: Operation; readonly cancelled: readonly string[] } | null>;
}

/** What files hold: one revision per upload, of which at most one answers. */
export interface RevisionStore {
  find(id: string): Promise<FileRevision | null>;
  /** Ids of the revisions in these states, of the files that match. */
  ids(query: FileQuery, states: readonly FileRevision['state'][]): Promise<readonly string[]>;
  /** Those of these ids that answer, with the file of each. */
  live(assistantId: string, revisionIds: readonly string[]): Promise<ReadonlyMap<string, LiveRevision>>;
  /** No effect on a revision that is not being processed. */
  progress(revisionId: string, percent: number): Promise<void>;
  /**
   * In one step: this revision answers, the one before does not, the file shows it, and its operation is completed.
   * @param cleaning makes the job that removes the revision before
   * @returns `gone` when it is neither staged nor stale anymore; `moved` when chunks are in other indexes by now
   */
  publish(
    revisionId: string,
    done: ProcessedRevision,
    cleaning: (old: FileRevision) => NewJob,
  ): Promise<'live' | 'gone' | 'moved'>;
  /** A stale revision could not be processed again: its file says why and keeps its bytes. */
  failStale(revisionId: string, error: string): Promise<void>;
  /** The revision will never answer; its operation has failed, and so has its file when nothing else answers. */
  fail(revisionId: string, error: string, at: string): Promise<void>;
  /** The chunks and bytes of a dead revision are gone; a file that is being deleted goes with its last revision. */
  remove(id: string, at: string): Promise<void>;
}

export interface ProcessedRevision {
  readonly processing: RevisionProcessing;
  /** The index that holds its chunks. */
  readonly denseIndexId: string;
  readonly ingestionUnits: number;
  readonly at: string;
}

export interface LiveRevision {
  readonly file: AssistantFile;
  readonly processing: RevisionProcessing | null;
}

export interface OperationQuery {
  readonly assistantId: string;
  readonly type?: OperationType | undefined;
  readonly state?: OperationState | undefined;
}

export interface OperationStore {
  find(assistantId: string, id: string): Promise<Operation | null>;
  /** Newest first. */
  list(query: OperationQuery, page: PageQuery): Promise<Page<Operation>>;
  /** Removes operations that ended before the time, at most `limit` of them. @returns how many */
  forget(before: string, limit: number): Promise<number>;
}
