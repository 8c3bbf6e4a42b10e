// The files derived from namespaces' segments: writes them aside from everything else, and reads them back.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ArenaFull } from '../memory/allocator.ts';
import { framesToRestore } from '../segments/graph-reservation.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import { NamespaceSegments } from '../segments/namespace-segments.ts';
import { restoreSegment } from '../segments/restore-segment.ts';
import { GRAPH_PARTS, SEGMENT_FORMAT, type SegmentState } from '../segments/saved-segment.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import { fillPartsInSlices } from '../storage/derived-files/fill-parts.ts';
import { readHeader, type Snapshot } from '../storage/derived-files/read-header.ts';
import { writeSnapshot } from '../storage/derived-files/write-snapshot.ts';
import type { DerivedRow } from '../storage/record-store.ts';

const FOLDER = 'derived';
const ENDING = '.segment';
/** Space and number of a segment's file, or of one that is being written. */
const NAME = /^(\d+)\.(\d+)\.segment(?:\.part)?$/;

/** What a file says of itself. */
interface FileHeader {
  readonly format: number;
  readonly tag: string;
  readonly dimension: number;
  readonly metric: string;
  readonly columnSeed: number;
  readonly state: SegmentState;
}

export class SegmentFiles {
  readonly #folder: string;

  /** Makes the folder. */
  constructor(indexFolder: string) {
    this.#folder = join(indexFolder, FOLDER);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  static newTag(): string {
    return randomUUID();
  }

  /** Removes all but the first files of these spaces, as many as `counts` says, and what else lies here. */
  keepOnly(counts: ReadonlyMap<number, number>): void {
    this.#removeBut((namespaceId, number) => number < (counts.get(namespaceId) ?? 0));
  }

  /** Keeps a space's first `count` files. */
  keepFirst(namespaceId: number, count: number): void {
    this.#removeBut((space, number) => space !== namespaceId || number < count);
  }

  remove(namespaceId: number): void {
    this.keepFirst(namespaceId, 0);
  }

  /** What cannot be removed is no good all the same, and goes at the next start. Never throws. */
  #removeBut(isKept: (namespaceId: number, number: number) => boolean): void {
    try {
      for (const name of readdirSync(this.#folder)) {
        const [, namespaceId, number] = NAME.exec(name) ?? [];
        if (namespaceId === undefined || number === undefined || !isKept(Number(namespaceId), Number(number)))
          rmSync(join(this.#folder, name), { recursive: true, force: true });
      }
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  /** Tag of the file that is in place; null when there is none. */
  tagOf(namespaceId: number, number: number): string | null {
    const file = readHeader(this.#path(namespaceId, number));
    return file.usable ? (file.header as FileHeader).tag : null;
  }

  /**
   * Writes a segment as it is now; no job may be at work on its graph until this settles.
   * The segment must be savable.
   */
  async save(
    segment: SegmentWriter,
    { number, tag, signal }: { readonly number: number; readonly tag: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const saved = segment.save();
    const { dimension, metric, columnSeed, arena } = segment.context;
    if (saved === null || dimension === null) throw new Error('the segment cannot be saved');
    const { state, parts } = saved;
    const header: FileHeader = { format: SEGMENT_FORMAT, tag, dimension, metric, columnSeed, state };
    const source = { memory: arena.memory, header, parts };
    await writeSnapshot(this.#path(segment.namespaceId, number), source, { signal });
  }

  /**
   * Brings a namespace back from its files; publish it after the change log has made up for later writes.
   * @returns null when any of them is missing, damaged or of another time. @throws ArenaFull
   */
  async load(
    space: { readonly namespaceId: number; readonly filterable: readonly string[] | null },
    row: DerivedRow,
    { pool, signal }: { readonly pool: MemoryPool; readonly signal: AbortSignal },
  ): Promise<NamespaceSegments | null> {
    const files: { readonly file: Snapshot; readonly header: FileHeader }[] = [];
    for (const [number, { tags }] of row.segments.entries()) {
      const file = readHeader(this.#path(space.namespaceId, number));
      if (!file.usable) return null;
      const header = file.header as FileHeader;
      if (!isUsable(header, { space, tags, pool })) return null;
      files.push({ file, header });
    }
    const segments: SegmentWriter[] = [];
    try {
      for (const { file, header } of files) {
        const taken = segments.map((segment) => segment.context);
        const context = pool.pick(taken, framesFor(file, header, pool));
        const empty = restoreSegment(header.state, context);
        segments.push(empty.segment);
        // One from a time when arenas were filled further has slots that can never get into its graph.
        if (!empty.segment.graphIndex.reserve(header.state.slotCount)) {
          release(segments);
          return null;
        }
        const filled = await fillPartsInSlices(file, context.arena.memory, empty.parts, { signal });
        const damaged = filled.usable ? filled.damaged : null;
        if (damaged === null || damaged.some((name) => !GRAPH_PARTS.has(name))) {
          release(segments);
          return null;
        }
        empty.finish(damaged.length === 0);
      }
    } catch (error) {
      release(segments);
      if (error instanceof ArenaFull || signal.aborted) throw error;
      return null;
    }
    return NamespaceSegments.of({ ...space, generation: row.generation }, pool, segments);
  }

  #path(namespaceId: number, segment: number): string {
    return join(this.#folder, `${namespaceId}.${segment}${ENDING}`);
  }
}

function framesFor({ bytes }: Snapshot, { state, dimension }: FileHeader, { first }: MemoryPool): number {
  const { slotCount, graph } = state;
  const scratch = first.scratchFrames(slotCount, false);
  const { graphSlotsMin } = first;
  return framesToRestore(bytes, graph?.slots ?? 0, { slots: slotCount, graphSlotsMin, scratch, dimension });
}

function isUsable(
  header: FileHeader,
  {
    space,
    tags,
    pool,
  }: {
    readonly space: { readonly namespaceId: number; readonly filterable: readonly string[] | null };
    readonly tags: readonly string[];
    readonly pool: MemoryPool;
  },
): boolean {
  const { dimension, metric, columnSeed } = pool.first;
  return (
    header.format === SEGMENT_FORMAT &&
    tags.includes(header.tag) &&
    header.dimension === dimension &&
    header.metric === metric &&
    header.columnSeed === columnSeed &&
    header.state.spaceId === space.namespaceId &&
    JSON.stringify(header.state.filterable) === JSON.stringify(space.filterable)
  );
}

function release(segments: readonly SegmentWriter[]): void {
  for (const segment of segments) segment.release();
}
