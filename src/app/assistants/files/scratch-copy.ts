// A copy of a file on this machine, for the parser processes, which read files from disk.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from '../../../blobs/port.ts';
import type { DocumentInput } from '../../../documents/port.ts';
import { type FileRevision, revisionKey } from '../../../domain/assistants/file.ts';
import { verifiedBytes } from './verified-bytes.ts';

export interface ScratchParts {
  readonly blobs: Pick<Blobs, 'get'>;
  /** A folder on this machine from which parsers read files. */
  readonly scratchFolder: string;
}

/**
 * Passes a copy of a file to `read` and removes it afterwards.
 * @throws FileDamaged, BlobMissing; the signal's reason; whatever `read` throws
 */
export async function withScratchCopy<Result>(
  { blobs, scratchFolder }: ScratchParts,
  revision: Pick<FileRevision, 'assistantId' | 'id' | 'sha256' | 'name'>,
  signal: AbortSignal,
  read: (input: DocumentInput) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(scratchFolder, 'parse-'));
  try {
    const path = join(folder, 'file');
    const content = verifiedBytes(blobs.get(revisionKey(revision)), revision.sha256);
    await pipeline(content, createWriteStream(path), { signal });
    return await read({ name: revision.name, path });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
