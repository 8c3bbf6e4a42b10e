// Writes an archive: the stream of an index into compressed parts with checksums, then the manifest.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import type { Blobs } from '../../blobs/port.ts';
import type { Archive, ArchiveFigures } from '../../domain/backups/archive.ts';
import type { IndexExport } from '../../vectors/index-copies.ts';
import {
  ARCHIVE_FORMAT,
  type ArchiveManifest,
  type ArchivePart,
  COMPRESSION,
  manifestKey,
  PART_BYTES,
  partKey,
  sha256Of,
} from './archive-format.ts';
import { cutStream, type StreamPart } from './cut-stream.ts';

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** Told of the bytes of the stream that are read so far. */
  readonly onBytes: (bytes: number) => void;
  readonly partBytes?: number;
}

export type Written = ArchiveFigures & { readonly manifestSha256: string };

/** Nothing of it counts before the manifest is there, which is last. Expects no parts of an earlier try. */
export async function writeArchive(
  blobs: Blobs,
  { archive, copy }: { readonly archive: Archive; readonly copy: IndexExport },
  options: WriteOptions,
): Promise<Written> {
  const { signal, onBytes, partBytes = PART_BYTES } = options;
  const parts: ArchivePart[] = [];
  for await (const part of cutStream(counted(copy.bytes, onBytes), partBytes)) {
    const key = partKey(archive.id, parts.length);
    parts.push(await writePart(blobs, { key, part, signal }));
  }
  const { recordCount, namespaceCount } = copy;
  const manifest = Buffer.from(manifestOf(archive, { parts, recordCount, namespaceCount }));
  await blobs.put(manifestKey(archive.id), Readable.from([manifest]), { signal });
  const sizeBytes = parts.reduce((sum, { storedBytes }) => sum + storedBytes, manifest.byteLength);
  return { recordCount, namespaceCount, sizeBytes, manifestSha256: sha256Of(manifest) };
}

function manifestOf(
  archive: Archive,
  facts: Pick<ArchiveManifest, 'parts' | 'recordCount' | 'namespaceCount'>,
): string {
  const manifest: ArchiveManifest = {
    format: ARCHIVE_FORMAT,
    archiveId: archive.id,
    createdAt: archive.createdAt,
    source: archive.source,
    compression: 'zstd',
    ...facts,
  };
  return JSON.stringify(manifest);
}

interface PartTarget {
  readonly key: string;
  readonly part: StreamPart;
  readonly signal: AbortSignal;
}

async function writePart(blobs: Blobs, { key, part, signal }: PartTarget): Promise<ArchivePart> {
  const hash = createHash('sha256');
  let storedBytes = 0;
  await pipeline(
    Readable.from(part.content, { objectMode: false }),
    createZstdCompress(COMPRESSION),
    async (compressed: AsyncIterable<Uint8Array>) => {
      const summed = (async function* () {
        for await (const piece of compressed) {
          hash.update(piece);
          yield piece;
        }
      })();
      storedBytes = (await blobs.put(key, summed, { signal })).bytes;
    },
    { signal },
  );
  return { bytes: part.bytes(), storedBytes, sha256: hash.digest('hex') };
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
