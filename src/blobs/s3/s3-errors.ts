// Errors of S3-compatible storage, classified by status.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { BlobsUnavailable } from '../port.ts';

export const HTTP_NOT_FOUND = 404;
export const HTTP_PRECONDITION_FAILED = 412;
export const HTTP_RANGE_NOT_SATISFIABLE = 416;

/** What storage answers that does not know a header. */
const HTTP_BAD_REQUEST = 400;
const HTTP_NOT_IMPLEMENTED = 501;
/** Answers of 400 to content that was damaged or cut on its way. */
const DAMAGED = new Set(['BadDigest', 'IncompleteBody', 'RequestTimeout', 'XAmzContentSHA256Mismatch']);

/** Undefined without a response. */
export function statusOf(error: unknown): number | undefined {
  const { httpStatusCode } = metadataOf(error);
  return typeof httpStatusCode === 'number' ? httpStatusCode : undefined;
}

/** Whether storage may have refused a request with a condition because it knows none. */
export function mayLackConditions(error: unknown): boolean {
  const status = statusOf(error);
  if (status === HTTP_NOT_IMPLEMENTED) return true;
  return status === HTTP_BAD_REQUEST && !(error instanceof Error && DAMAGED.has(error.name));
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
