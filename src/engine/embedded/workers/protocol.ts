// What engine threads start with, and the messages between them. Plain data, but for shared memories and ports.
import type { PlainError } from '../../../domain/faults/plain-error.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { Attachment } from '../indexing/open-index.ts';
import type { BudgetShare } from '../memory/frame-budget.ts';
import type { StructureDelta } from '../segments/structure.ts';

export type ThreadKind = 'reader' | 'writer' | 'builder';

/** A place in the pool. A thread that dies is replaced by another of the same name. */
export interface ThreadName {
  readonly kind: ThreadKind;
  /** From 0 within its kind. */
  readonly number: number;
}

export type ThreadCounts = Readonly<Record<ThreadKind, number>>;

/** What a thread starts with. Ports to other threads come as `join` requests. */
export interface ThreadStart {
  readonly dataDir: string;
  readonly number: number;
  readonly counts: ThreadCounts;
  readonly epochs: SharedArrayBuffer;
  /** Words of QueryLoad. */
  readonly queryLoad: SharedArrayBuffer;
  /** Indexes that are gone for good; late requests must not make their files again. */
  readonly dropped: readonly string[];
  /** Writers only; by default nothing bounds memory. */
  readonly memory?: MemoryShare;
}

/** The memory of all indexes, as writers share it. */
export interface MemoryShare extends BudgetShare {
  /** Default COLD_AFTER_SECONDS. */
  readonly coldAfterSeconds?: number;
}

/** An engine thread's report of what it answered with a plain 500. */
export interface ThreadReport {
  readonly type: 'error';
  readonly requestId: string;
  readonly error: string;
}

/** A writer thread's wish that a builder which does not come back be replaced. */
export interface AbandonRequest {
  readonly type: 'abandon';
  readonly builder: number;
}

/** What an engine thread tells the serving thread beside its answers. */
export type ThreadNotice = ThreadReport | AbandonRequest;

/** Reader -> writer. */
export type ReaderMessage =
  | { readonly type: 'attach'; readonly profile: IndexProfile }
  | {
      readonly type: 'load';
      readonly indexId: string;
      readonly namespaceId: number;
      readonly filterable: readonly string[] | null;
      readonly recordCount: number;
    };

/** Writer -> reader. Deltas are posted before the version in the arena says so. */
export type WriterMessage =
  | { readonly type: 'attached'; readonly indexId: string; readonly attachment: Attachment }
  | { readonly type: 'refused'; readonly indexId: string; readonly error: PlainError }
  | { readonly type: 'delta'; readonly indexId: string; readonly delta: StructureDelta }
  | { readonly type: 'detach'; readonly indexId: string };
