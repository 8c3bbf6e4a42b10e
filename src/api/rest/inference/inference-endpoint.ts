// What an inference endpoint is: its details, and one handler that asks the models.
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import type { EndpointDetails, QueryValues, Reply } from '../../endpoint.ts';

export interface InferenceServices {
  readonly inference: Inference;
}

export interface InferenceCall {
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** Parsed JSON, not yet checked; `undefined` when the body is empty. */
  readonly body: unknown;
  /** Aborted when the client goes before its answer. */
  readonly signal: AbortSignal;
  readonly services: InferenceServices;
}

export interface InferenceEndpoint extends EndpointDetails {
  readonly handle: (call: InferenceCall) => Promise<Reply>;
}

/** Bytes of a request: 96 texts of the longest that a hosted model reads whole, four times over. */
export const INFERENCE_REQUEST_BYTES_MAX = 2 * 1024 * 1024;
/** Objects and lists in a request: 250 documents of 80 each. */
export const INFERENCE_STRUCTURES_MAX = 20_000;
