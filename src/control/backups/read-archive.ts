// Reads an archive back: every byte is checked against what was written before the reading ends well.
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { BlobMissing, type Blobs } from '../../blobs/port.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import {
  ARCHIVE_FORMAT,
  ArchiveDamaged,
  type ArchiveManifest,
  type ArchivePart,
  COMPRESSION,
  MANIFEST_BYTES_MAX,
  manifestKey,
  partKey,
  sha256Of,
} from './archive-format.ts';

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Told of the share of the archive that is read so far, 0 to 1. */
  readonly onShare: (share: number) => void;
}

/**
 * The stream that `writeArchive` was given.
 * @throws ArchiveDamaged at the latest after the last piece; BlobsUnavailable; the signal's reason
 */
export async function* readArchive(
  blobs: Blobs,
  archive: Archive,
  { signal, onShare }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const manifest = await readManifest(blobs, archive);
  const total = manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let read = 0;
  for (const [number, part] of manifest.parts.entries()) {
    for await (const piece of readPart(blobs, partKey(archive.id, number), part)) {
      signal.throwIfAborted();
      read += piece.byteLength;
      onShare(read / total);
      yield piece;
    }
  }
}

/** @throws ArchiveDamaged */
async function readManifest(blobs: Blobs, archive: Archive): Promise<ArchiveManifest> {
  const text = await readSmall(blobs, manifestKey(archive.id));
  if (sha256Of(text) !== archive.manifestSha256)
    throw new ArchiveDamaged('its manifest is not the one written');
  // From here on it is what this program wrote: the catalog has vouched for every byte.
  const manifest = JSON.parse(text.toString()) as ArchiveManifest;
  if (manifest.format !== ARCHIVE_FORMAT) {
    throw new ArchiveDamaged(`it has format ${manifest.format}; this release reads ${ARCHIVE_FORMAT}`);
  }
  return manifest;
}

async function readSmall(blobs: Blobs, key: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of blobs.get(key)) {
      bytes += piece.byteLength;
      if (bytes > MANIFEST_BYTES_MAX) throw new ArchiveDamaged('its manifest is too long');
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof BlobMissing ? new ArchiveDamaged('its manifest is missing', error) : error;
  }
  return Buffer.concat(pieces);
}

async function* readPart(blobs: Blobs, key: string, part: ArchivePart): AsyncGenerator<Uint8Array> {
  const stored = Readable.from(checked(blobs.get(key), part), { objectMode: false });
  const expanded = createZstdDecompress({ chunkSize: COMPRESSION.chunkSize });
  // Errors of either end the other; the loop below throws them.
  pipeline(stored, expanded, () => undefined);
  let bytes = 0;
  try {
    for await (const piece of expanded as AsyncIterable<Uint8Array>) {
      bytes += piece.byteLength;
      // A little that expands to very much is not what was written.
      if (bytes > part.bytes) throw new ArchiveDamaged('a part is longer than it was');
      yield piece;
    }
  } catch (error) {
    throw damageOf(error);
  } finally {
    expanded.destroy();
  }
  if (bytes !== part.bytes) throw new ArchiveDamaged('a part is shorter than it was');
}

async function* checked(content: AsyncIterable<Uint8Array>, part: ArchivePart): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.byteLength;
    if (bytes > part.storedBytes) break;
    hash.update(piece);
    yield piece;
  }
  if (bytes !== part.storedBytes) throw new ArchiveDamaged('a part has another size than it had');
  if (hash.digest('hex') !== part.sha256) throw new ArchiveDamaged('a part has another checksum than it had');
}

function damageOf(error: unknown): unknown {
  if (error instanceof BlobMissing) return new ArchiveDamaged('a part is missing', error);
  const isBadCompression =
    error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD_');
  return isBadCompression ? new ArchiveDamaged('a part does not expand', error) : error;
}
