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
  /** Parsed, unvalidated JSON; `undefined` if the body is empty. */
  readonly body: unknown;
  /** Aborted when the client disconnects before the response. */
  readonly signal: AbortSignal;
  /** Takes memory for a large answer. @param bytes that it has so far @throws invalid-argument, overloaded */
  readonly hold: (bytes: number) => void;
  /** Refuses an answer that is too large, before the work. @param bytes that it has at least @throws invalid-argument */
  readonly expect: (bytes: number) => void;
  readonly services: InferenceServices;
}

export interface InferenceEndpoint extends EndpointDetails {
  readonly handle: (call: InferenceCall) => Promise<Reply>;
}

/** Four times 96 texts of the maximum length that a hosted model reads whole. */
export const INFERENCE_REQUEST_BYTES_MAX = 2 * 1024 * 1024;
/** Bound on objects and lists in a request: 250 documents of 80 each. */
export const INFERENCE_STRUCTURES_MAX = 20_000;
