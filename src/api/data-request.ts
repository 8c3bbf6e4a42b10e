// A data request as it comes from the wire, and its finished answer: what HTTP and gRPC hand to whoever runs data endpoints.
import type { ProjectAccess } from '../domain/access.ts';
import type { RequestedVersion } from '../domain/api-version.ts';
import type { IndexProfile } from '../domain/index-model.ts';
import type { QueryValues } from '../domain/query-values.ts';

/** One data plane request, authenticated and routed; its body is not parsed yet. */
export interface DataRequest {
  readonly endpointId: string;
  readonly access: ProjectAccess;
  readonly version: RequestedVersion;
  readonly index: IndexProfile;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** The body in the pieces it came in. Ownership moves to the executor, which may transfer their buffers to a thread. */
  readonly body: readonly Uint8Array[];
  readonly requestId: string;
  /** True when the caller wants to know what a search does. */
  readonly explain?: boolean;
  /** Method of the vector service, for a request over gRPC: body and answer are frames of its messages. */
  readonly rpc?: string;
}

/** A finished answer: faults are already rendered. */
export interface DataAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text in UTF-8, or the frame of a message; empty when there is no body. */
  readonly body: Uint8Array | string;
}

export interface DataExecutor {
  /**
   * Runs a data endpoint. Never rejects for a caller's mistake.
   * @throws Fault overloaded when too many requests wait
   */
  run(request: DataRequest): Promise<DataAnswer>;
}
