// The methods of engine threads that the main thread calls.
import type { MessagePort } from 'node:worker_threads';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { ChangedPage, ChangedRecord } from '../../port/changed-records.ts';
import type { IndexMetrics, OpenIndexFigures } from '../../port/engine-metrics.ts';
import type { PackedRecords } from '../../port/packed-records.ts';
import type { Lsn } from '../../port/reader-and-writer.ts';
import type { NewNamespace, StagedNamespace } from '../../port/staged-namespaces.ts';
import type { SnapshotPin } from '../storage/snapshot-pins.ts';
import type { PackedProfile, PackedTask } from './packed-task.ts';
import type { ThreadName } from './protocol.ts';
import type { BranchCall, HistoryCall, ReaderCall, WriterCall } from './typed-calls.ts';

export interface EngineMethods {
  /** Returns the executor's response to the task. */
  readonly run: {
    readonly request: PackedTask;
    readonly response: unknown;
    readonly note: WaitNote | LongNote;
  };
  /** Returns what the method of the port returns, as `change` does. */
  readonly read: {
    readonly request: { readonly profile: PackedProfile; readonly call: ReaderCall };
    readonly response: unknown;
    readonly note: WaitNote;
  };
  readonly change: {
    readonly request: { readonly profile: PackedProfile; readonly call: WriterCall };
    readonly response: unknown;
    readonly note: LongNote;
  };
  /** Returns when writes of an index, which is the request, that were sent before have ended. */
  readonly earlierWrites: { readonly request: string; readonly response: null };
  readonly create: { readonly request: IndexProfile; readonly response: null };
  /** The request is the id of an index, as in `admit`. */
  readonly drop: { readonly request: string; readonly response: null };
  /** A dropped index was created again from a copy. */
  readonly admit: { readonly request: string; readonly response: null };
  readonly size: {
    readonly request: IndexProfile;
    readonly response: { readonly records: number; readonly bytes: number };
  };
  /** The request is a list of index ids. */
  readonly metrics: { readonly request: readonly string[]; readonly response: WriterMetrics };
  /** A copy is about to read rows, none of which may be reused until its pin is released. */
  readonly hold: {
    readonly request: { readonly profile: IndexProfile; readonly hold: SnapshotPin };
    readonly response: null;
  };
  /** Moves an open index to the memory profile of its profile; others have it when they open. */
  readonly reshape: { readonly request: IndexProfile; readonly response: null };
  /** Tells of indexes that are there: their history is dropped in time, though nobody opens them. */
  readonly watch: { readonly request: readonly IndexProfile[]; readonly response: null };
  readonly write: {
    readonly request: {
      readonly profile: IndexProfile;
      readonly namespace: string;
      readonly records: PackedRecords;
    };
    readonly response: Lsn;
  };
  /** Carries out changes of a log; the calls for an index follow each other. */
  readonly replay: {
    readonly request: {
      readonly profile: IndexProfile;
      readonly first: number;
      readonly bytes: Uint8Array;
    };
    readonly response: null;
  };
  readonly staging: {
    readonly request: { readonly profile: IndexProfile; readonly change: StagingChange };
    readonly response: readonly StagedNamespace[];
  };
  /** Returns the changes that are left; none where the index does not exist and `forget` is asked. */
  readonly changed: {
    readonly request: { readonly profile: IndexProfile; readonly call: ChangedCall };
    readonly response: ChangedPage;
  };
  /** Returns what the method of IndexHistory returns. */
  readonly history: {
    readonly request: { readonly profile: IndexProfile; readonly call: HistoryCall };
    readonly response: unknown;
  };
  /** Returns what the method of IndexBranches returns. */
  readonly branches: {
    readonly request: { readonly profile: IndexProfile; readonly call: BranchCall };
    readonly response: unknown;
  };
  /** Saves what the next start would have to derive anew; only the end of the thread may follow. */
  readonly save: { readonly request: { readonly msMax: number }; readonly response: null };
  /** A thread that this one works with has started, perhaps as the replacement of a dead one. */
  readonly join: {
    readonly request: { readonly peer: ThreadName; readonly port: MessagePort };
    readonly response: null;
  };
}

export type ReaderMethods = Pick<EngineMethods, 'run' | 'read' | 'join'>;
export type WriterMethods = Omit<EngineMethods, 'read'>;
export type BuilderThreadMethods = Pick<EngineMethods, 'join'>;

/** Notifies that the call waits for something other than its thread, which runs others meanwhile. */
export type WaitNote = 'waits';
/** Notifies that the call has begun a change that may take minutes. */
export type LongNote = 'long';

export interface WriterMetrics {
  readonly indexes: readonly IndexMetrics[];
  readonly open: OpenIndexFigures;
  /** Number of this writer's jobs at each builder. */
  readonly jobs: readonly number[];
}

/** A call of ChangedRecords. */
export type ChangedCall =
  | { readonly kind: 'track' | 'forget' }
  | { readonly kind: 'list'; readonly limit: number }
  | { readonly kind: 'settle'; readonly changed: readonly ChangedRecord[] };

/** A change to the staged namespaces of an owner. */
export type StagingChange =
  | { readonly kind: 'stage'; readonly owner: string; readonly namespaces: readonly NewNamespace[] }
  | { readonly kind: 'publish' | 'drop'; readonly owner: string }
  | { readonly kind: 'none' };
