// A part of a snapshot file that is mapped into memory where others are read: its checksums are compared afterwards.
import { setTimeout as pause } from 'node:timers/promises';
import { chunksInTurns } from './chunks-ahead.ts';
import type { Snapshot } from './read-header.ts';
import { assertSame, SnapshotFile } from './snapshot-file.ts';
import { type StoredChunk, storedChunks } from './stored-chunks.ts';
import { toUnusable, type Unusable } from './unusable.ts';

/** The least that pages have: where they have more, the system maps what begins at a multiple of that. */
const PAGE_BYTES_MIN = 4_096;
/** After each chunk that is checked: searches need the disk, too. 1 MiB each makes it 200 MiB/s at most. */
const REST_MS = 5;

/** How far a part was compared. It stays true, since files never change. */
export interface Verified {
  /** Chunks from the first on that have their checksums. */
  chunks: number;
  /** Of these chunks. */
  bytes: number;
}

export class MappedPart {
  readonly #file: SnapshotFile;
  readonly #chunks: readonly StoredChunk[];
  /** Where it lies in the file. */
  readonly from: number;

  private constructor(file: SnapshotFile, chunks: readonly StoredChunk[], from: number) {
    this.#file = file;
    this.#chunks = chunks;
    this.from = from;
  }

  /**
   * Opens the file for this part; `close` it.
   * @returns null when it does not lie in the file as it does in memory, or at no page, as files of earlier releases
   *   have it: read it instead
   */
  static open(snapshot: Snapshot, name: string): MappedPart | Unusable | null {
    try {
      const file = new SnapshotFile(snapshot.path);
      try {
        assertSame(file, snapshot);
        const part = MappedPart.#of(file, snapshot, name);
        if (part === null) file.close();
        return part;
      } catch (error) {
        file.close();
        throw error;
      }
    } catch (error) {
      return toUnusable(error);
    }
  }

  static #of(file: SnapshotFile, { parts }: Snapshot, name: string): MappedPart | null {
    const chunks = storedChunks(file, parts).filter(({ part }) => parts[part]?.name === name);
    const [first] = chunks;
    const isAsInMemory = chunks.every(({ bytes, storedBytes }) => bytes === storedBytes);
    if (first === undefined || !isAsInMemory || first.at % PAGE_BYTES_MIN !== 0) return null;
    return new MappedPart(file, chunks, first.at);
  }

  get fd(): number {
    return this.#file.fd;
  }

  /**
   * Reads all of it in the background. @throws the signal's reason
   * @param verified of the same part of the same file: it goes on from there, and notes how far it comes
   * @returns false when a chunk fails its checksum, or the system cannot read it
   */
  async isWhole(signal: AbortSignal, verified: Verified = { chunks: 0, bytes: 0 }): Promise<boolean> {
    try {
      for await (const { bytes } of chunksInTurns(this.#file, this.#chunks.slice(verified.chunks))) {
        if (bytes === null) return false;
        verified.chunks++;
        verified.bytes += bytes.length;
        await pause(REST_MS, undefined, { signal, ref: false });
      }
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  /** What is mapped stays so, also when the file is replaced. */
  close(): void {
    this.#file.close();
  }
}
