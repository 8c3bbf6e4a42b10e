// Why a request was refused, for the log, traces and the console: gRPC answers with status 200 all the same.
import type { DataAnswer } from '../api/data-request.ts';
import { messageIn } from '../api/grpc/grpc-status.ts';
import type { Fault } from '../domain/faults.ts';

export interface Refusal extends Pick<Fault, 'condition' | 'status'> {
  /** Null where it is in the body only. */
  readonly message: string | null;
}

/** Null for an answer that is none. */
export function refusalIn({ refusal, status, headers }: DataAnswer): Refusal | null {
  return refusal === undefined ? null : { condition: refusal, status, message: messageIn(headers) };
}
