// The start data of engine threads, and the messages between them: plain data, shared memories and ports.
import type { PlainError } from '../../../domain/faults/plain-error.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { MemoryProfile } from '../../../domain/memory-profile.ts';
import type { HistoryBounds } from '../indexing/history/history-keeper.ts';
import type { Attachment } from '../indexing/open-index.ts';
import type { BudgetShare } from '../memory/frame-budget.ts';
import type { StructureDelta } from '../segments/structure.ts';
import type { OpenBounds } from './open-bounds.ts';

export type ThreadKind = 'reader' | 'writer' | 'builder';

/** Names a slot in the pool. A thread that dies is replaced by another with the same name. */
export interface ThreadName {
  readonly kind: ThreadKind;
  /** Counted from 0 within its kind. */
  readonly number: number;
}

export type ThreadCounts = Readonly<Record<ThreadKind, number>>;

/** The start data of a thread. Ports to other threads arrive in `join` requests. */
export interface ThreadStart {
  readonly dataDir: string;
  readonly number: number;
  readonly counts: ThreadCounts;
  readonly epochs: SharedArrayBuffer;
  /** The shared words of QueryLoad. */
  readonly queryLoad: SharedArrayBuffer;
  /** Ids of dropped indexes, whose files late requests must not recreate. */
  readonly dropped: readonly string[];
  /** Bytes that a writer reads each second to find damage; default none. */
  readonly scrubBytesPerSecond?: number;
  /** How much of the past indexes keep; default none. */
  readonly history?: HistoryBounds | null;
  /** Of indexes that have none of their own; default `memory`. */
  readonly memoryProfile?: MemoryProfile;
  /** How many indexes a writer keeps open; default all. */
  readonly open?: OpenBounds;
  /** Writers only; memory is unbounded by default. */
  readonly memory?: MemoryShare;
}

/** The memory budget of all indexes, which writers share. */
export interface MemoryShare extends BudgetShare {
  /** Default COLD_AFTER_SECONDS. */
  readonly coldAfterSeconds?: number;
}

/** An engine thread's report of an unexpected error, which callers see as a plain 500. */
export interface ThreadReport {
  readonly type: 'error';
  readonly requestId: string;
  readonly error: string;
}

/** A writer thread's request to replace a builder that does not respond. */
export interface AbandonRequest {
  readonly type: 'abandon';
  readonly builder: number;
}

/** A thread's report of damaged files of an index. */
export interface DamageReport {
  readonly type: 'damage';
  readonly indexId: string;
  /**
   * `index`: it is closed; `missing`: it has no folder, and is served as soon as it has one; `record`: requests that
   * need the record or its vector fail.
   */
  readonly kind: 'index' | 'missing' | 'record';
  /** What is damaged, with the file and where in it. */
  readonly damage: string;
}

/** An index that was reported as missing has files. */
export interface FoundReport {
  readonly type: 'found';
  readonly indexId: string;
}

/** All records of an index that 0.1.0 wrote have got their checksums. */
export interface SumsReport {
  readonly type: 'sums-added';
  readonly indexId: string;
  readonly records: number;
}

/** An engine thread serves calls. */
export interface StartNotice {
  readonly type: 'started';
  /** Where the system describes the thread; null where it does not. */
  readonly statusFile: string | null;
}

/** Messages from an engine thread to the main thread, apart from responses. */
export type ThreadNotice = ThreadReport | AbandonRequest | DamageReport | FoundReport | SumsReport;

/** Reader -> writer, answers `release`. */
export type ReleaseAnswer =
  | { readonly type: 'released'; readonly indexId: string }
  | { readonly type: 'kept'; readonly indexId: string; readonly usedMs: number };

/** Reader -> writer. */
export type ReaderMessage =
  | ReleaseAnswer
  | { readonly type: 'attach'; readonly profile: IndexProfile }
  | {
      readonly type: 'load';
      readonly indexId: string;
      readonly namespaceId: number;
      readonly filterable: readonly string[] | null;
      readonly recordCount: number;
    };

/** Writer -> reader. Deltas are posted before the version in the arena announces them. */
export type WriterMessage =
  | { readonly type: 'attached'; readonly indexId: string; readonly attachment: Attachment }
  | { readonly type: 'refused'; readonly indexId: string; readonly error: PlainError }
  | { readonly type: 'delta'; readonly indexId: string; readonly delta: StructureDelta }
  | { readonly type: 'detach'; readonly indexId: string }
  /** Asks the reader to close the index unless it was used since, or is in use. */
  | { readonly type: 'release'; readonly indexId: string; readonly unusedSinceMs: number };
