// Messages between the serving thread, writer threads and reader threads. Plain data, but for shared memories and ports.
import type { MessagePort } from 'node:worker_threads';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { EngineCall, EngineReply } from '../../engine.ts';
import type { NamespaceStructure, StructureDelta } from '../memory/structure.ts';
import type { PlainError } from './plain-error.ts';

/** What a thread starts with. */
export interface ThreadStart {
  readonly dataDir: string;
  /** Which reader (or writer) this is, from 0. */
  readonly number: number;
  readonly epochs: SharedArrayBuffer;
  /** To every thread of the other kind, in their order. */
  readonly peers: readonly MessagePort[];
}

/** Serving thread -> any engine thread. Each is answered with a ThreadAnswer of the same callId. */
export type ThreadRequest = { readonly callId: number } & (
  | { readonly type: 'run'; readonly call: EngineCall }
  | { readonly type: 'create'; readonly profile: IndexProfile }
  | { readonly type: 'drop'; readonly indexId: string }
  | { readonly type: 'size'; readonly profile: IndexProfile }
  | { readonly type: 'close' }
);

export type ThreadAnswer = { readonly callId: number } & (
  | { readonly type: 'reply'; readonly reply: EngineReply }
  | { readonly type: 'done' }
  | { readonly type: 'size'; readonly records: number; readonly bytes: number }
  | { readonly type: 'failed'; readonly error: PlainError }
);

/** An engine thread's report of what it answered with a plain 500. */
export interface ThreadReport {
  readonly type: 'error';
  readonly requestId: string;
  readonly error: string;
}

/** Reader -> writer. */
export type ReaderMessage =
  | { readonly type: 'attach'; readonly profile: IndexProfile }
  | {
      readonly type: 'load';
      readonly indexId: string;
      readonly spaceId: number;
      readonly filterable: readonly string[] | null;
    };

/** Writer -> reader. Deltas are posted before the version in the arena says so. */
export type WriterMessage =
  | {
      readonly type: 'attached';
      readonly indexId: string;
      readonly memory: WebAssembly.Memory;
      readonly columnSeed: number;
      readonly structures: readonly NamespaceStructure[];
      readonly tooLarge: readonly number[];
      readonly structureVersion: number;
    }
  | { readonly type: 'refused'; readonly indexId: string; readonly error: PlainError }
  | { readonly type: 'delta'; readonly indexId: string; readonly delta: StructureDelta }
  | { readonly type: 'detach'; readonly indexId: string };
