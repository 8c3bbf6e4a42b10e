// Errors of S3-compatible storage, classified by status.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { BlobsUnavailable } from '../port.ts';

export const HTTP_NOT_FOUND = 404;
export const HTTP_PRECONDITION_FAILED = 412;
export const HTTP_RANGE_NOT_SATISFIABLE = 416;

/** Undefined without a response. */
export function statusOf(error: unknown): number | undefined {
  const { httpStatusCode } = metadataOf(error);
  return typeof httpStatusCode === 'number' ? httpStatusCode : undefined;
}

/** Number of attempts of the request. */
export function attemptsOf(error: unknown): number {
  const { attempts } = metadataOf(error);
  return typeof attempts === 'number' ? attempts : 1;
}

/** What the SDK notes of the request on its errors. */
function metadataOf(error: unknown): JsonObject {
  return membersOf(membersOf(error).$metadata);
}

export function unavailable(what: string, error: unknown): BlobsUnavailable {
  if (error instanceof BlobsUnavailable) return error;
  const status = statusOf(error);
  const name = error instanceof Error ? error.name : 'an unknown error';
  const reason = status === undefined ? detailOf(error) : `${status} ${name}`;
  return new BlobsUnavailable(`The object storage could not ${what}: ${reason}.`, error);
}

function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
}
