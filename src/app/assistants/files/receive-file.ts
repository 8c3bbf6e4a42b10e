// Stores an upload as a stream, counting bytes against the limit and hashing them.
import { createHash } from 'node:crypto';
import type { Blobs } from '../../../blobs/port.ts';
import { invalid } from '../../../domain/faults.ts';
import { blobFault } from '../../blob-fault.ts';

export interface ReceivedBytes {
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface Upload {
  readonly content: AsyncIterable<Uint8Array>;
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The file is on disk when it resolves; nothing is left when it rejects.
 * @throws invalid-argument for an empty file or one over the limit; storage-full; what `content` throws
 */
export async function receiveFile(
  blobs: Pick<Blobs, 'put' | 'delete'>,
  key: string,
  { content, bytesMax, signal }: Upload,
): Promise<ReceivedBytes> {
  const hash = createHash('sha256');
  let size = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      size += piece.length;
      if (size > bytesMax) throw invalid(`Files of this type may have at most ${bytesMax} bytes.`);
      hash.update(piece);
      yield piece;
    }
    if (size === 0) throw invalid('The file is empty.');
  }
  try {
    await blobs.put(key, counted(), signal === undefined ? {} : { signal });
  } catch (error) {
    throw blobFault(error);
  }
  return { size, sha256: hash.digest('hex') };
}
