// Messages between the serving thread, writer threads and reader threads. Plain data, but for shared memories and ports.
import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../../domain/faults/plain-error.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { IndexMetrics } from '../../port/engine-metrics.ts';
import type { PackedRecords } from '../../port/packed-records.ts';
import type { Lsn } from '../../port/reader-and-writer.ts';
import type { NewNamespace, StagedNamespace } from '../../port/staged-namespaces.ts';
import type { Attachment } from '../indexing/open-index.ts';
import type { BudgetShare } from '../memory/frame-budget.ts';
import type { StructureDelta } from '../segments/structure.ts';
import type { SnapshotPin } from '../storage/snapshot-pins.ts';
import type { PackedProfile, PackedTask } from './packed-task.ts';
import type { ReaderCall, WriterCall } from './typed-calls.ts';

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

/** Serving thread -> any engine thread. Each is answered with a ThreadAnswer of the same callId. */
export type ThreadRequest = { readonly callId: number } & (
  | ({ readonly type: 'run' } & PackedTask)
  | { readonly type: 'read'; readonly profile: PackedProfile; readonly call: ReaderCall }
  | { readonly type: 'change'; readonly profile: PackedProfile; readonly call: WriterCall }
  | { readonly type: 'create'; readonly profile: IndexProfile }
  | { readonly type: 'drop'; readonly indexId: string }
  /** What was dropped has been made anew, of a copy. */
  | { readonly type: 'admit'; readonly indexId: string }
  | { readonly type: 'size'; readonly profile: IndexProfile }
  | { readonly type: 'metrics'; readonly indexIds: readonly string[] }
  /** A copy is about to read rows; until the word says otherwise none may be used again. */
  | { readonly type: 'hold'; readonly profile: IndexProfile; readonly hold: SnapshotPin }
  | {
      readonly type: 'write';
      readonly profile: IndexProfile;
      readonly namespace: string;
      readonly records: PackedRecords;
    }
  | { readonly type: 'staging'; readonly profile: IndexProfile; readonly change: StagingChange }
  /** A thread has started that this one works with, maybe in the place of one that died. */
  | { readonly type: 'join'; readonly peer: ThreadName; readonly port: MessagePort }
  | { readonly type: 'close' }
);

/** What becomes of an owner's namespaces in the making. */
export type StagingChange =
  | { readonly kind: 'stage'; readonly owner: string; readonly namespaces: readonly NewNamespace[] }
  | { readonly kind: 'publish' | 'drop'; readonly owner: string }
  | { readonly kind: 'none' };

export type ThreadAnswer = { readonly callId: number } & (
  | { readonly type: 'reply'; readonly answer: unknown }
  /** What a method of the port resolved with. */
  | { readonly type: 'result'; readonly value: unknown }
  | { readonly type: 'done' }
  | { readonly type: 'written'; readonly lsn: Lsn }
  | { readonly type: 'staged'; readonly namespaces: readonly StagedNamespace[] }
  | { readonly type: 'size'; readonly records: number; readonly bytes: number }
  | {
      readonly type: 'metrics';
      readonly indexes: readonly IndexMetrics[];
      /** Jobs that each builder has of this writer. */
      readonly jobs: readonly number[];
    }
  | { readonly type: 'failed'; readonly error: PlainError }
);

/** An engine thread's report of what it answered with a plain 500. */
export interface ThreadReport {
  readonly type: 'error';
  readonly requestId: string;
  readonly error: string;
}

/** A reader thread's word that a read waits for something else than the thread, which takes up others meanwhile. */
export interface WaitReport {
  readonly type: 'waits';
  /** Of the request. */
  readonly waitingCallId: number;
}

/** A writer thread's wish that a builder which does not come back be replaced. */
export interface AbandonRequest {
  readonly type: 'abandon';
  readonly builder: number;
}

/** What an engine thread says to the serving thread. */
export type ThreadMessage = ThreadAnswer | ThreadReport | WaitReport | AbandonRequest;

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
