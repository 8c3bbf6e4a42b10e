// Faults of requests that store blobs.
import { BlobsUnavailable } from '../blobs/port.ts';
import { fault } from '../domain/faults.ts';

/** Turns a refusal of the storage into the storage-full fault; leaves all other errors unchanged. */
export function blobFault(error: unknown): unknown {
  if (!(error instanceof BlobsUnavailable)) return error;
  return fault('storage-full', { reason: error.message.replace(/\.$/, '') });
}
