// Helpers for files: error codes, and flushing folders.
import { open } from 'node:fs/promises';
import { BlobsUnavailable } from '../port.ts';

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The error of a folder that fails, or that this user may not use, for callers of the port. */
export function unavailable(error: unknown): BlobsUnavailable {
  const reason = isCode(error, 'ENOSPC')
    ? 'the disk is full'
    : error instanceof Error
      ? error.message
      : String(error);
  return new BlobsUnavailable(`The folder of blobs cannot be used: ${reason}`, error);
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
