// Reads a whole archive and compares its digest, without restoring it.
import { createHash } from 'node:crypto';
import type { Blobs } from '../../blobs/port.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import { ArchiveDamaged } from './archive-format.ts';
import { openArchive } from './read-archive.ts';

/**
 * @returns what is damaged; null when the archive is the one that was written
 * @throws BlobsUnavailable, the signal's reason
 */
export async function archiveProblem(
  blobs: Pick<Blobs, 'get'>,
  archive: Archive,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<string | null> {
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    const { content, sha256 } = await openArchive(blobs, archive, { signal, onShare: () => undefined });
    for await (const piece of content) {
      hash.update(piece);
      bytes += piece.byteLength;
      onBytes(bytes);
    }
    return hash.digest('hex') === sha256 ? null : 'its content is not the one written';
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    return error.reason;
  }
}
