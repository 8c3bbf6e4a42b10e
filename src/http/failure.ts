// What became of a request that has failed: the fault that its caller is told, and what the log tells beyond that.
import type { FastifyRequest } from 'fastify';
import type { Fault } from '../domain/faults.ts';
import { faultOf } from './fault-of.ts';
import type { Logger } from './request-log.ts';
import { logTrouble } from './trouble-log.ts';

const FIRST_OWN_STATUS = 500;

/** The fault of what a request threw, noted as its refusal for the log, traces and the console. */
export function failureOf(logger: Logger, request: FastifyRequest, error: unknown): Fault {
  const fault = faultOf(error, request);
  request.refusal = fault;
  // Faults that the server found itself are told to the caller in full; of other errors the log has the rest.
  if (fault !== error && fault.status >= FIRST_OWN_STATUS) {
    logTrouble(logger, 'error', { requestId: request.id, err: error }, 'request failed');
  }
  return fault;
}
