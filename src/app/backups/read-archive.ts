// Reads an archive by its manifest; the reader of the stream verifies the manifest's checksum.

import { BlobMissing, type Blobs } from '../../blobs/port.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import { parseOwnJson } from '../../domain/json.ts';
import {
  ARCHIVE_FORMAT,
  ArchiveDamaged,
  type ArchiveManifest,
  type ArchivePart,
  MANIFEST_BYTES_MAX,
  manifestKey,
  partKey,
  sha256Of,
} from './archive-format.ts';

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Called with the share of the archive that is read so far, 0 to 1. */
  readonly onShare: (share: number) => void;
}

export interface OpenedArchive {
  /** The expected hexadecimal digest of the content; the catalog authenticates it. */
  readonly sha256: string;
  /**
   * Returns the stream that `writeArchive` stored, provided that its SHA-256 matches; pieces have their own buffers.
   * @throws ArchiveDamaged when parts are missing or have another size; BlobsUnavailable; the signal's reason
   */
  readonly content: AsyncIterable<Uint8Array>;
}

/** @throws ArchiveDamaged when the manifest differs from the written one; BlobsUnavailable */
export async function openArchive(
  blobs: Pick<Blobs, 'get'>,
  archive: Archive,
  options: ReadOptions,
): Promise<OpenedArchive> {
  const manifest = await readManifest(blobs, archive);
  return { sha256: manifest.sha256, content: readParts(blobs, manifest, options) };
}

async function* readParts(
  blobs: Pick<Blobs, 'get'>,
  { archiveId, parts }: ArchiveManifest,
  { signal, onShare }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let read = 0;
  for (const [number, part] of parts.entries()) {
    for await (const piece of readPart(blobs, partKey(archiveId, number), part)) {
      signal.throwIfAborted();
      read += piece.byteLength;
      onShare(read / total);
      yield piece;
    }
  }
}

/** @throws ArchiveDamaged */
async function readManifest(blobs: Pick<Blobs, 'get'>, archive: Archive): Promise<ArchiveManifest> {
  const text = await readSmall(blobs, manifestKey(archive.id));
  if (sha256Of(text) !== archive.manifestSha256)
    throw new ArchiveDamaged('its manifest is not the one written');
  // The digest in the catalog has authenticated every byte: this program wrote it.
  const manifest = parseOwnJson<ArchiveManifest>(text.toString());
  if (manifest.format !== ARCHIVE_FORMAT) {
    throw new ArchiveDamaged(`it has format ${manifest.format}; this release reads ${ARCHIVE_FORMAT}`);
  }
  return manifest;
}

async function readSmall(blobs: Pick<Blobs, 'get'>, key: string): Promise<Buffer> {
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

async function* readPart(
  blobs: Pick<Blobs, 'get'>,
  key: string,
  part: ArchivePart,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of blobs.get(key)) {
      bytes += piece.byteLength;
      if (bytes > part.bytes) break;
      yield piece;
    }
  } catch (error) {
    throw error instanceof BlobMissing ? new ArchiveDamaged('a part is missing', error) : error;
  }
  if (bytes !== part.bytes) throw new ArchiveDamaged('a part has another size than it had');
}
