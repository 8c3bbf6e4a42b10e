// How the chunks of a snapshot lie in its file: as they are, or, in files with packed parts, compressed where that helps.
import { constants, crc32, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { type Chunk, chunksOf } from './chunks.ts';
import type { StoredPart } from './parts.ts';
import { dataStart, entryBytes, type Preamble, SUM_BYTES } from './preamble.ts';
import type { SnapshotFile } from './snapshot-file.ts';
import { UnusableFile } from './unusable.ts';

/** Zstandard's fastest level proper: others make such parts little smaller, for twice the time. */
const LEVEL = 1;

export interface StoredChunk extends Chunk {
  /** Bytes in the file. Those of a chunk that is not compressed are as many as its own. */
  readonly storedBytes: number;
  /** Where they lie in the file. */
  readonly at: number;
  /** Their checksum. */
  readonly sum: number;
}

/** All chunks of a file, in order. @throws UnusableFile when its table contradicts its length */
export function storedChunks(file: SnapshotFile, parts: readonly StoredPart[]): readonly StoredChunk[] {
  const { preamble } = file;
  const table = file.table();
  let at = dataStart(preamble);
  const chunks = chunksOf(parts, preamble.chunkBytes).map((chunk) => {
    const entry = chunk.number * entryBytes(preamble);
    const storedBytes = preamble.isPacked ? table.readUInt32LE(entry + SUM_BYTES) : chunk.bytes;
    const stored = { ...chunk, storedBytes, at, sum: table.readUInt32LE(entry) };
    at += storedBytes;
    return stored;
  });
  if (at !== preamble.fileBytes || chunks.some(({ storedBytes, bytes }) => storedBytes > bytes))
    throw new UnusableFile('damaged', 'its table of chunks contradicts its length');
  return chunks;
}

/** Writes the entry of a chunk in the table. */
export function putEntry(table: Buffer, number: number, { stored, preamble }: ChunkEntry): void {
  const entry = number * entryBytes(preamble);
  table.writeUInt32LE(crc32(stored), entry);
  if (preamble.isPacked) table.writeUInt32LE(stored.length, entry + SUM_BYTES);
}

interface ChunkEntry {
  readonly stored: Uint8Array;
  readonly preamble: Pick<Preamble, 'isPacked'>;
}

/** The bytes to store for those of a chunk, made by a thread of the runtime's pool; themselves when they do not get fewer. */
export function pack(bytes: Uint8Array): Promise<Uint8Array> {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  return new Promise((resolve, reject) =>
    zstdCompress(bytes, { params }, (error, packed) => {
      if (error !== null) reject(error);
      else resolve(packed.length < bytes.length ? packed : bytes);
    }),
  );
}

/** Reads a chunk; `buffer` has space for one. @returns its bytes, perhaps in the buffer; null when it is damaged */
export function readChunk(file: SnapshotFile, chunk: StoredChunk, buffer: Buffer): Uint8Array | null {
  const stored = buffer.subarray(0, chunk.storedBytes);
  return file.read(stored, chunk.at) === stored.length ? unpack(chunk, stored) : null;
}

/** The bytes of a chunk that was read, perhaps the same; null when it is damaged. */
export function unpack(chunk: StoredChunk, stored: Uint8Array): Uint8Array | null {
  if (crc32(stored) !== chunk.sum) return null;
  if (stored.length === chunk.bytes) return stored;
  try {
    const bytes = zstdDecompressSync(stored, { maxOutputLength: chunk.bytes });
    return bytes.length === chunk.bytes ? bytes : null;
  } catch {
    return null;
  }
}
