// What the serving thread calls engine threads for.
import type { MessagePort } from 'node:worker_threads';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { IndexMetrics } from '../../port/engine-metrics.ts';
import type { PackedRecords } from '../../port/packed-records.ts';
import type { Lsn } from '../../port/reader-and-writer.ts';
import type { NewNamespace, StagedNamespace } from '../../port/staged-namespaces.ts';
import type { SnapshotPin } from '../storage/snapshot-pins.ts';
import type { PackedProfile, PackedTask } from './packed-task.ts';
import type { ThreadName } from './protocol.ts';
import type { ReaderCall, WriterCall } from './typed-calls.ts';

export interface EngineMethods {
  /** Answers with what the composition's executor makes of the task. */
  readonly run: { readonly request: PackedTask; readonly response: unknown; readonly note: WaitNote };
  /** Answers with what the method of the port resolves with, as `change` does. */
  readonly read: {
    readonly request: { readonly profile: PackedProfile; readonly call: ReaderCall };
    readonly response: unknown;
    readonly note: WaitNote;
  };
  readonly change: {
    readonly request: { readonly profile: PackedProfile; readonly call: WriterCall };
    readonly response: unknown;
  };
  readonly create: { readonly request: IndexProfile; readonly response: null };
  /** Takes the id of an index, as `admit` does. */
  readonly drop: { readonly request: string; readonly response: null };
  /** What was dropped has been made anew, of a copy. */
  readonly admit: { readonly request: string; readonly response: null };
  readonly size: {
    readonly request: IndexProfile;
    readonly response: { readonly records: number; readonly bytes: number };
  };
  /** Takes ids of indexes. */
  readonly metrics: { readonly request: readonly string[]; readonly response: WriterMetrics };
  /** A copy is about to read rows; until the pin says otherwise none may be used again. */
  readonly hold: {
    readonly request: { readonly profile: IndexProfile; readonly hold: SnapshotPin };
    readonly response: null;
  };
  readonly write: {
    readonly request: {
      readonly profile: IndexProfile;
      readonly namespace: string;
      readonly records: PackedRecords;
    };
    readonly response: Lsn;
  };
  readonly staging: {
    readonly request: { readonly profile: IndexProfile; readonly change: StagingChange };
    readonly response: readonly StagedNamespace[];
  };
  /** A thread has started that this one works with, maybe in the place of one that died. */
  readonly join: {
    readonly request: { readonly peer: ThreadName; readonly port: MessagePort };
    readonly response: null;
  };
}

export type ReaderMethods = Pick<EngineMethods, 'run' | 'read' | 'join'>;
export type WriterMethods = Omit<EngineMethods, 'read'>;
export type BuilderThreadMethods = Pick<EngineMethods, 'join'>;

/** The call waits for something else than its thread, which takes up others meanwhile. */
export type WaitNote = 'waits';

export interface WriterMetrics {
  readonly indexes: readonly IndexMetrics[];
  /** Jobs that each builder has of this writer. */
  readonly jobs: readonly number[];
}

/** What becomes of an owner's namespaces in the making. */
export type StagingChange =
  | { readonly kind: 'stage'; readonly owner: string; readonly namespaces: readonly NewNamespace[] }
  | { readonly kind: 'publish' | 'drop'; readonly owner: string }
  | { readonly kind: 'none' };
