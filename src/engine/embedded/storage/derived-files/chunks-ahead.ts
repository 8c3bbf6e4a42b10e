// Reads the chunks of a file in order, some ahead by the runtime's pool: the disk is read while memory is filled.
import { setImmediate } from 'node:timers/promises';
import type { SnapshotFile } from './snapshot-file.ts';
import { type StoredChunk, unpack } from './stored-chunks.ts';

/** Chunks that are read or held at a time: 4 MiB. */
const AHEAD = 4;

/** The most bytes that a chunk takes in a file. */
export function chunkBytesMax({ preamble }: SnapshotFile): number {
  return Math.min(preamble.chunkBytes, preamble.fileBytes);
}

/**
 * Some chunks of a file in order, one in each turn of the event loop. Their bytes, null for one that is damaged, are valid
 * until the next. @throws the system's error
 */
export async function* chunksInTurns(
  file: SnapshotFile,
  chunks: readonly StoredChunk[],
): AsyncGenerator<{ readonly chunk: StoredChunk; readonly bytes: Uint8Array | null }> {
  const ahead = new ChunksAhead(file, chunks, chunkBytesMax(file));
  try {
    for (const [at, chunk] of chunks.entries()) {
      yield { chunk, bytes: await ahead.bytesOf(at) };
      await setImmediate();
    }
  } finally {
    await ahead.end();
  }
}

export class ChunksAhead {
  readonly #file: SnapshotFile;
  readonly #chunks: readonly StoredChunk[];
  readonly #buffers: readonly Buffer[];
  /** How many bytes each had, for as many as buffers; by number of the chunk. */
  readonly #reads = new Map<number, Promise<number>>();

  /** @param bytesMax of a chunk in the file */
  constructor(file: SnapshotFile, chunks: readonly StoredChunk[], bytesMax: number) {
    this.#file = file;
    this.#chunks = chunks;
    this.#buffers = Array.from({ length: Math.min(AHEAD, chunks.length) }, () =>
      Buffer.allocUnsafe(bytesMax),
    );
    for (const at of this.#buffers.keys()) this.#begin(at);
  }

  /**
   * The bytes of a chunk, valid until the next one is asked for; null when it is damaged. Chunks are asked for in order.
   * @throws the system's error
   */
  async bytesOf(at: number): Promise<Uint8Array | null> {
    // The one before is used no more: its buffer is free.
    if (at > 0) this.#begin(at - 1 + this.#buffers.length);
    const chunk = this.#chunks[at];
    const read = this.#reads.get(at);
    if (chunk === undefined || read === undefined) throw new RangeError(`chunk ${at} is not the next one`);
    const bytes = await read;
    this.#reads.delete(at);
    return bytes === chunk.storedBytes ? unpack(chunk, this.#bufferOf(at)) : null;
  }

  /** Resolves once no read is under way, and the file may be closed. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#reads.values());
  }

  #begin(at: number): void {
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const read = this.#file.readAside(this.#bufferOf(at), chunk.at);
    // Whoever asks for the chunk meets the failure; until then it must not count as unhandled.
    read.catch(() => undefined);
    this.#reads.set(at, read);
  }

  #bufferOf(at: number): Buffer {
    const buffer = this.#buffers[at % this.#buffers.length];
    if (buffer === undefined) throw new RangeError('there are no chunks');
    return buffer.subarray(0, this.#chunks[at]?.storedBytes);
  }
}
