// Reads the parts of a snapshot file back into memory, verifying every chunk.
import { setImmediate } from 'node:timers/promises';
import { type Share, shareOf } from './chunks.ts';
import { type Part, type Span, scatter, spansOf } from './parts.ts';
import type { Snapshot } from './read-header.ts';
import { SnapshotFile } from './snapshot-file.ts';
import { readChunk, storedChunks } from './stored-chunks.ts';
import { toUnusable, type Unusable, UnusableFile } from './unusable.ts';

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
  const steps = fill(snapshot, assignTargets(snapshot, spansOf(memory, targets)), options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * The same, one chunk in each turn of the event loop. After the signal the targets are not written any more.
 * @throws RangeError as above, or the signal's reason
 */
export async function fillPartsInSlices(
  snapshot: Snapshot,
  memory: WebAssembly.Memory,
  targets: readonly Part[],
  { signal, ...options }: FillOptions & { readonly signal?: AbortSignal } = {},
): Promise<Filled | Unusable> {
  const steps = fill(snapshot, assignTargets(snapshot, spansOf(memory, targets)), options);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = steps.next();
      if (done) return value;
      await setImmediate();
    }
  } finally {
    // Closes the file.
    steps.return({ usable: true, damaged: [] });
  }
}

type Targets = ReadonlyMap<number, Span>;

/** The target of each requested part, by its index in the file. */
function assignTargets({ parts }: Snapshot, spans: readonly Span[]): Targets {
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

/** Yields after each chunk. */
function* fill(
  snapshot: Snapshot,
  targets: Targets,
  { share = { index: 0, of: 1 } }: FillOptions,
): Generator<void, Filled | Unusable> {
  try {
    const file = new SnapshotFile(snapshot.path);
    try {
      return yield* fillFrom(file, { snapshot, targets, share });
    } finally {
      file.close();
    }
  } catch (error) {
    return toUnusable(error);
  }
}

interface Fill {
  readonly snapshot: Snapshot;
  readonly targets: Targets;
  readonly share: Share;
}

function* fillFrom(file: SnapshotFile, { snapshot, targets, share }: Fill): Generator<void, Filled> {
  const { preamble } = file;
  if (preamble.id !== snapshot.id) throw new UnusableFile('damaged', 'another file has taken its place');
  const selected = storedChunks(file, snapshot.parts).filter(({ part }) => targets.has(part));
  const buffer = Buffer.allocUnsafe(Math.min(preamble.chunkBytes, preamble.fileBytes));
  const damaged = new Set<string>();
  for (const chunk of shareOf(selected, share)) {
    const span = targets.get(chunk.part);
    if (span === undefined || damaged.has(span.stored.name)) continue;
    const bytes = readChunk(file, chunk, buffer);
    if (bytes !== null) scatter(span, chunk.from, bytes);
    else damaged.add(span.stored.name);
    yield;
  }
  return { usable: true, damaged: [...damaged] };
}
