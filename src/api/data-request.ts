// A data request and its finished answer, as HTTP and gRPC exchange them with the executor of data endpoints.
import type { ProjectAccess } from '../domain/access.ts';
import type { SharedAliases } from '../domain/aliases/alias-names.ts';
import type { RequestedVersion } from '../domain/api-version.ts';
import type { FaultName } from '../domain/faults.ts';
import type { IndexProfile } from '../domain/index-model.ts';
import type { QueryExplanation } from '../domain/query-explain.ts';
import type { QueryValues } from '../domain/query-values.ts';
import type { AuditedRecall } from '../domain/recall-promise.ts';

/** A data plane request, authenticated and routed. Its body is not parsed yet. */
export interface DataRequest {
  readonly endpointId: string;
  readonly access: ProjectAccess;
  readonly version: RequestedVersion;
  readonly index: IndexProfile;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** The pieces of the body as received. The executor owns them, and may transfer their buffers to a thread. */
  readonly body: readonly Uint8Array[];
  readonly requestId: string;
  /** Bytes of the largest answer that the memory for responses holds; default that of the interface. */
  readonly answerBytesMax?: number;
  /** Whether the caller still waits for the answer; default true. A read that is not begun is dropped otherwise. */
  readonly isWanted?: () => boolean;
  /** The namespace aliases of the index; absent when it has none. */
  readonly aliases?: SharedAliases;
  /** True when the caller requests an explanation of the search. */
  readonly explain?: boolean;
  /** The header that requests a recall, as received. */
  readonly recall?: string;
  /** The header with the moment at which to read, as received. */
  readonly asOf?: string;
  /** How long the engine's work must take, in milliseconds, for its explanation to come with the answer; default never. */
  readonly explainFromMs?: number;
  /** For a request over gRPC, the method of the vector service; body and answer are then frames of its messages. */
  readonly rpc?: string;
}

/**
 * What the engine did for an answer; a list, because threads copy lists faster. Milliseconds run from the thread taking
 * the request up. Recalls are those of searches. The explanation of a search is there when asked for or when it was slow.
 */
export type AnswerWork = readonly [
  engineMs: number,
  expectedRecall: number | null,
  auditedRecall: AuditedRecall | null,
  promisedRecall: number | null,
  explanation: QueryExplanation | null,
];

/** A finished answer, in which faults are already rendered. */
export interface DataAnswer {
  readonly status: number;
  /** Of an answer that renders a fault. */
  readonly refusal?: FaultName;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text in UTF-8, or the frame of a message; empty when there is no body. */
  readonly body: Uint8Array | string;
  /** Of answers that an engine gave. */
  readonly work?: AnswerWork;
}

export interface DataExecutor {
  /**
   * Runs a data endpoint. Does not reject for a caller's mistake, but answers with its fault.
   * @throws Fault overloaded when too many requests wait
   */
  run(request: DataRequest): Promise<DataAnswer>;
}
