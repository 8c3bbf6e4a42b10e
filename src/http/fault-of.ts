// Turns whatever a request threw into a fault of the catalog.
import type { FastifyRequest } from 'fastify';
import { systemFault } from '../domain/faults/system-faults.ts';
import { Fault, fault, invalid } from '../domain/faults.ts';

/** An unknown error becomes `internal`, which reveals no details to the caller. */
export function faultOf(error: unknown, request: Pick<FastifyRequest, 'headers'>): Fault {
  if (error instanceof Fault) return error;
  if (!isFrameworkError(error)) return systemFault(error) ?? fault('internal');
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fault('unsupported-media-type', { type: request.headers['content-type'] ?? '' });
  }
  if (error.code === 'FST_ERR_BAD_URL') return invalid('The path of the request cannot be decoded.');
  return error.statusCode >= 400 && error.statusCode < 500 ? invalid(error.message) : fault('internal');
}

interface FrameworkError {
  readonly code: string;
  readonly statusCode: number;
  readonly message: string;
}

function isFrameworkError(error: unknown): error is FrameworkError {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('FST_') &&
    'statusCode' in error &&
    typeof error.statusCode === 'number'
  );
}
