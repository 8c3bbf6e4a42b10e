// The engine as the serving thread sees it: it owns threads and files, and runs data endpoints beside the data.
import type { ProjectAccess } from '../../domain/access.ts';
import type { RequestedVersion } from '../../domain/api-version.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { QueryValues } from '../../domain/query-values.ts';
import type { EngineMetrics } from './engine-metrics.ts';

export type * from './engine-metrics.ts';

/** One data plane request, authenticated and routed; its body is not parsed yet. */
export interface EngineCall {
  readonly endpointId: string;
  readonly access: ProjectAccess;
  readonly version: RequestedVersion;
  readonly index: IndexProfile;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** The body in the pieces it came in. Ownership moves to the engine, which may transfer their buffers to a thread. */
  readonly body: readonly Uint8Array[];
  readonly requestId: string;
  /** True when the caller wants to know what a search does. */
  readonly explain?: boolean;
  /** Method of the vector service, where the request came over gRPC: body and answer are frames of its messages. */
  readonly rpc?: string;
}

/** A finished answer: faults are already rendered. */
export interface EngineReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text in UTF-8, or the frame of a message; empty when there is no body. */
  readonly body: Uint8Array | string;
}

export interface VectorEngine {
  /** Makes the storage of an index. Durable when it resolves. Safe to repeat. */
  createIndex(profile: IndexProfile): Promise<void>;
  /** Closes the index everywhere and removes its storage. Safe to repeat. */
  dropIndex(indexId: string): Promise<void>;
  /** Total records and bytes on disk of an index, for the control plane. */
  sizeOf(profile: IndexProfile): Promise<{ readonly records: number; readonly bytes: number }>;
  /**
   * What monitoring asks for, often: of these indexes, in their order, and of the engine's threads. Opens nothing that
   * is not open; leaves out indexes that are gone.
   */
  metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics>;
  /**
   * Runs a data endpoint in an engine thread. Never rejects for a caller's mistake.
   * @throws Fault overloaded when the queue is full
   */
  run(call: EngineCall): Promise<EngineReply>;
  /** Finishes what runs, then ends the threads. */
  close(): Promise<void>;
}
