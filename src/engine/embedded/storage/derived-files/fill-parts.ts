// Reads the parts of a snapshot file back into memory, verifying every chunk.
import { type Share, shareOf } from './chunks.ts';
import { chunkBytesMax, chunksInTurns } from './chunks-ahead.ts';
import { type Part, type Span, scatter, spansOf } from './parts.ts';
import type { Snapshot } from './read-header.ts';
import { assertSame, SnapshotFile } from './snapshot-file.ts';
import { readChunk, type StoredChunk, storedChunks } from './stored-chunks.ts';
import { toUnusable, type Unusable } from './unusable.ts';

export interface FillOptions {
  /** Which chunks this call reads, when several threads read one file. Default: all. */
  readonly share?: Share;
}

export interface Filled {
  readonly usable: true;
  /** Names of requested parts of which a chunk failed its checksum; the others are intact (their chunks of this share). */
  readonly damaged: readonly string[];
}

/**
 * Fills any of the parts of a snapshot. No chunk that fails its checksum is copied, so that a damaged part is filled
 * incompletely. Blocks its thread: about half a second per GB, a second if the memory was never touched before.
 * @throws RangeError when a target does not fit the part of its name
 */
export function fillParts(
  snapshot: Snapshot,
  memory: WebAssembly.Memory,
  targets: readonly Part[],
  options: FillOptions = {},
): Filled | Unusable {
  const filling = new Filling(snapshot, spansOf(memory, targets), options);
  try {
    const file = new SnapshotFile(snapshot.path);
    try {
      const buffer = Buffer.allocUnsafe(chunkBytesMax(file));
      for (const chunk of filling.chunks(file))
        if (filling.wants(chunk)) filling.put(chunk, readChunk(file, chunk, buffer));
      return filling.result;
    } finally {
      file.close();
    }
  } catch (error) {
    return toUnusable(error);
  }
}

/**
 * The same, one chunk in each turn of the event loop, while the next ones are read. After the signal the targets are not
 * written any more.
 * @throws RangeError as above, or the signal's reason
 */
export async function fillPartsInSlices(
  snapshot: Snapshot,
  memory: WebAssembly.Memory,
  targets: readonly Part[],
  { signal, ...options }: FillOptions & { readonly signal?: AbortSignal } = {},
): Promise<Filled | Unusable> {
  const filling = new Filling(snapshot, spansOf(memory, targets), options);
  try {
    const file = new SnapshotFile(snapshot.path);
    try {
      for await (const { chunk, bytes } of chunksInTurns(file, filling.chunks(file))) {
        signal?.throwIfAborted();
        filling.put(chunk, bytes);
      }
      return filling.result;
    } finally {
      file.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    return toUnusable(error);
  }
}

/** The parts of a snapshot that are filled, and what of them is damaged. */
class Filling {
  readonly #snapshot: Snapshot;
  /** The target of each requested part, by its index in the file. */
  readonly #targets: ReadonlyMap<number, Span>;
  readonly #share: Share;
  readonly #damaged = new Set<string>();

  /** @throws RangeError */
  constructor(snapshot: Snapshot, spans: readonly Span[], { share = { index: 0, of: 1 } }: FillOptions) {
    this.#snapshot = snapshot;
    this.#targets = assignTargets(snapshot, spans);
    this.#share = share;
  }

  get result(): Filled {
    return { usable: true, damaged: [...this.#damaged] };
  }

  /** @throws UnusableFile */
  chunks(file: SnapshotFile): readonly StoredChunk[] {
    assertSame(file, this.#snapshot);
    const selected = storedChunks(file, this.#snapshot.parts).filter(({ part }) => this.#targets.has(part));
    return shareOf(selected, this.#share);
  }

  /** False for the chunks of a part that is known to be damaged. */
  wants({ part }: StoredChunk): boolean {
    const span = this.#targets.get(part);
    return span !== undefined && !this.#damaged.has(span.stored.name);
  }

  /** @param bytes null when they are damaged */
  put(chunk: StoredChunk, bytes: Uint8Array | null): void {
    const span = this.#targets.get(chunk.part);
    if (span === undefined || this.#damaged.has(span.stored.name)) return;
    if (bytes !== null) scatter(span, chunk.from, bytes);
    else this.#damaged.add(span.stored.name);
  }
}

function assignTargets({ parts }: Snapshot, spans: readonly Span[]): ReadonlyMap<number, Span> {
  return new Map(
    spans.map((span) => {
      const { name, count, bytesEach } = span.stored;
      const index = parts.findIndex((part) => part.name === name);
      const part = parts[index];
      if (part?.count !== count || part.bytesEach !== bytesEach)
        throw new RangeError(`the snapshot has no part ${name} of ${count} x ${bytesEach} bytes`);
      return [index, span];
    }),
  );
}
