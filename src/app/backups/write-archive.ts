// Writes an archive: the stream of an index in parts, then the manifest.
import { Readable } from 'node:stream';
import type { Blobs } from '../../blobs/port.ts';
import type { Archive, ArchiveFigures } from '../../domain/backups/archive.ts';
import type { IndexExport } from '../../engine/port/index-copies.ts';
import {
  ARCHIVE_FORMAT,
  type ArchiveManifest,
  type ArchivePart,
  manifestKey,
  PART_BYTES,
  partKey,
  sha256Of,
} from './archive-format.ts';
import { cutStream } from './cut-stream.ts';

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** Called with the bytes of the stream that are read so far. */
  readonly onBytes: (bytes: number) => void;
  /** Called before each blob with the number of parts that are stored; what it throws ends the writing. */
  readonly onPart?: (partsStored: number) => Promise<void>;
  readonly partBytes?: number;
}

export type Written = ArchiveFigures & { readonly manifestSha256: string };

/**
 * The archive exists only once its manifest, written last, does.
 * @throws BlobExists where another attempt has left something, or writes it now: no blob of two attempts is mixed
 */
export async function writeArchive(
  blobs: Blobs,
  { archive, copy }: { readonly archive: Archive; readonly copy: IndexExport },
  options: WriteOptions,
): Promise<Written> {
  const { signal, onBytes, onPart, partBytes = PART_BYTES } = options;
  const put = async (
    key: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly bytes: number }> => {
    await onPart?.(parts.length);
    return blobs.put(key, content, { signal, ifAbsent: true });
  };
  const parts: ArchivePart[] = [];
  for await (const part of cutStream(counted(copy.bytes, onBytes), partBytes)) {
    const { bytes } = await put(partKey(archive.id, parts.length), part);
    parts.push({ bytes });
  }
  const { recordCount, namespaceCount } = copy;
  const sha256 = await copy.sha256;
  const manifest = Buffer.from(manifestOf(archive, { parts, sha256, recordCount, namespaceCount }));
  await put(manifestKey(archive.id), Readable.from([manifest]));
  const sizeBytes = parts.reduce((sum, { bytes }) => sum + bytes, manifest.byteLength);
  return { recordCount, namespaceCount, sizeBytes, manifestSha256: sha256Of(manifest) };
}

function manifestOf(
  archive: Archive,
  fields: Pick<ArchiveManifest, 'parts' | 'sha256' | 'recordCount' | 'namespaceCount'>,
): string {
  const manifest: ArchiveManifest = {
    format: ARCHIVE_FORMAT,
    archiveId: archive.id,
    createdAt: archive.createdAt,
    source: archive.source,
    ...fields,
    labels: { name: archive.name, description: archive.description },
  };
  return JSON.stringify(manifest);
}

async function* counted(
  stream: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.byteLength;
    onBytes(bytes);
    yield piece;
  }
}
