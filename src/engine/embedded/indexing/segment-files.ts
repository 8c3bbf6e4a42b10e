// The derived files of an index: writes segments to them, and restores namespaces from them.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSameShape, type NodeShape } from '../ann/graph-memory.ts';
import { ArenaFull, type MemoryNeed } from '../memory/allocator.ts';
import { prepareInFile } from '../memory/prepare-in-file.ts';
import { needToRestore } from '../segments/graph-reservation.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import { NamespaceSegments } from '../segments/namespace-segments.ts';
import {
  CODES,
  formatOf,
  GRAPH_PARTS,
  SEGMENT_FORMATS,
  type SegmentState,
} from '../segments/saved-segment.ts';
import { SegmentWriter } from '../segments/segment-writer.ts';
import { fillPartsInSlices } from '../storage/derived-files/fill-parts.ts';
import { MappedPart } from '../storage/derived-files/mapped-part.ts';
import { readHeader, type Snapshot } from '../storage/derived-files/read-header.ts';
import type { Unusable } from '../storage/derived-files/unusable.ts';
import { writeSnapshot } from '../storage/derived-files/write-snapshot.ts';
import type { DerivedRow } from '../storage/derived-table.ts';
import type { Warn } from './index-warnings.ts';

const FOLDER = 'derived';
const ENDING = '.segment';
/** Namespace id and segment number of a file, or of one that is being written. */
const NAME = /^(\d+)\.(\d+)\.segment(?:\.part)?$/;

/** The header of a file. Field names do not change. */
interface FileHeader {
  readonly format: number;
  readonly tag: string;
  /** Null without dense vectors. */
  readonly dimension: number | null;
  readonly metric: string;
  readonly columnSeed: number;
  readonly state: SegmentState;
}

/** The system does not let a file be read, which may be whole. */
export class UnreadableFile extends Error {
  /** True while too many files are open, which passes. */
  readonly isPassing: boolean;

  constructor(path: string, { reason, detail }: Unusable) {
    super(`cannot read ${path}: ${detail}`);
    this.isPassing = reason === 'exhausted';
  }
}

export interface LoadedFromFiles {
  readonly memory: NamespaceSegments;
  /** The files that its codes are mapped from, and not verified yet. */
  readonly mapped: readonly Snapshot[];
}

interface Loading {
  readonly pool: MemoryPool;
  /** Of the namespace so far. */
  readonly segments: SegmentWriter[];
  readonly mapped: Snapshot[];
  readonly signal: AbortSignal;
}

export class SegmentFiles {
  readonly #folder: string;
  readonly #warn: Warn;

  /** Creates the folder. */
  constructor(indexFolder: string, warn: Warn) {
    this.#warn = warn;
    this.#folder = SegmentFiles.folderIn(indexFolder);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Where an index has its files; the folder may be missing. */
  static folderIn(indexFolder: string): string {
    return join(indexFolder, FOLDER);
  }

  /** The namespace of a file by its name; null for other files. */
  static namespaceOf(name: string): number | null {
    const [, namespaceId] = name.endsWith(ENDING) ? (NAME.exec(name) ?? []) : [];
    return namespaceId === undefined ? null : Number(namespaceId);
  }

  static newTag(): string {
    return randomUUID();
  }

  /** Removes everything but the first files of each namespace, as many as `counts` says. */
  keepOnly(counts: ReadonlyMap<number, number>): void {
    this.#removeBut((namespaceId, number) => number < (counts.get(namespaceId) ?? 0));
  }

  /** Removes all but the first `count` files of a namespace. */
  keepFirst(namespaceId: number, count: number): void {
    this.#removeBut((id, number) => id !== namespaceId || number < count);
  }

  remove(namespaceId: number): void {
    this.keepFirst(namespaceId, 0);
  }

  /** Never throws: a file that cannot be removed is invalid all the same, and is removed at the next start. */
  #removeBut(isKept: (namespaceId: number, number: number) => boolean): void {
    try {
      for (const name of readdirSync(this.#folder)) {
        const [, namespaceId, number] = NAME.exec(name) ?? [];
        if (namespaceId === undefined || number === undefined || !isKept(Number(namespaceId), Number(number)))
          rmSync(join(this.#folder, name), { recursive: true, force: true });
      }
    } catch (error) {
      this.#warn(error);
    }
  }

  /** Tag of the current file; null when there is none of use. @throws UnreadableFile when it may be read later */
  tagOf(namespaceId: number, number: number): string | null {
    const path = this.#path(namespaceId, number);
    const file = readHeader(path);
    if (file.usable) return headerOf(file).tag;
    if (file.reason === 'exhausted') throw new UnreadableFile(path, file);
    return null;
  }

  /** True when the first `count` files of a namespace can be read, and all have graphs of this shape. */
  haveGraphs(namespaceId: number, count: number, shape: NodeShape): boolean {
    return Array.from({ length: count }, (_, number) => readHeader(this.#path(namespaceId, number))).every(
      (file) => {
        const graph = file.usable ? headerOf(file).state.graph : null;
        return graph !== null && isSameShape(graph, shape);
      },
    );
  }

  /**
   * Writes a segment as it is now. No job may run on its graph until this settles.
   */
  async save(
    segment: SegmentWriter,
    { number, tag, signal }: { readonly number: number; readonly tag: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { state, parts } = segment.save();
    const { dimension, metric, columnSeed, arena } = segment.context;
    const header: FileHeader = { format: formatOf(state), tag, dimension, metric, columnSeed, state };
    const source = { memory: arena.memory, header, parts };
    await writeSnapshot(this.#path(segment.namespaceId, number), source, { signal });
  }

  /**
   * Restores a namespace from its files; publish it after later writes of the change log were replayed.
   * @returns it, with the files that its codes are mapped from, not verified yet; null when any file is missing, damaged or
   *   outdated; `unfit` when nothing is wrong with them, but the graph of a segment would not fit in its arena.
   * @throws ArenaFull, UnreadableFile
   */
  async load(
    namespace: { readonly namespaceId: number; readonly filterable: readonly string[] | null },
    row: DerivedRow,
    { pool, signal }: { readonly pool: MemoryPool; readonly signal: AbortSignal },
  ): Promise<LoadedFromFiles | 'unfit' | null> {
    const files: { readonly file: Snapshot; readonly header: FileHeader }[] = [];
    for (const [number, { tags }] of row.segments.entries()) {
      const file = readHeader(this.#path(namespace.namespaceId, number));
      if (!file.usable) {
        this.#assertRead(file, namespace.namespaceId, number);
        return null;
      }
      const header = headerOf(file);
      if (!isUsable(header, { namespace, tags, pool })) return null;
      files.push({ file, header });
    }
    const segments: SegmentWriter[] = [];
    const mapped: Snapshot[] = [];
    const loaded = { pool, segments, mapped };
    const giveUp = () => {
      for (const segment of segments) segment.release();
    };
    try {
      for (const { file, header } of files) {
        const outcome = await this.#loadSegment(file, header, { ...loaded, signal });
        if (outcome === 'whole') continue;
        giveUp();
        return outcome === 'unfit' ? 'unfit' : null;
      }
    } catch (error) {
      giveUp();
      if (error instanceof ArenaFull || error instanceof UnreadableFile || signal.aborted) throw error;
      return null;
    }
    return {
      memory: NamespaceSegments.of({ ...namespace, generation: row.generation }, pool, segments),
      mapped,
    };
  }

  /**
   * Adds a segment to those of a namespace, and what of its file is mapped.
   * @returns `unusable` when the file is damaged or outdated, `unfit` as `load` does. @throws ArenaFull, UnreadableFile
   */
  async #loadSegment(
    file: Snapshot,
    header: FileHeader,
    { pool, segments, mapped, signal }: Loading,
  ): Promise<'whole' | 'unusable' | 'unfit'> {
    const { state } = header;
    const need = needFor(file, header, pool);
    const context = pool.pick(
      segments.map((segment) => segment.context),
      need,
    );
    const segment = new SegmentWriter(state.spaceId, state, context);
    segments.push(segment);
    if (this.#map(file, segment, { number: segments.length - 1, frames: state.pieces.codeFrames }))
      mapped.push(file);
    else await prepareInFile(context.allocator, need, signal);
    const restoring = segment.restore(state);
    if (restoring === null) return 'unusable';
    // Of another memory profile, it may have more slots than a graph of this one can hold.
    if (!segment.graphIndex.reservation.restore(state.slotCount)) return 'unfit';
    const filled = await fillPartsInSlices(file, context.arena.memory, restoring.parts, { signal });
    if (!filled.usable) this.#assertRead(filled, state.spaceId, segments.length - 1);
    const damaged = filled.usable ? filled.damaged : null;
    if (damaged === null || damaged.some((name) => !GRAPH_PARTS.has(name))) return 'unusable';
    restoring.finish(damaged.length === 0);
    return 'whole';
  }

  /** Lets an empty segment have its codes in its file. @returns false where they are to be read. @throws UnreadableFile */
  #map(
    file: Snapshot,
    { namespaceId, context, data }: SegmentWriter,
    { number, frames }: { readonly number: number; readonly frames: number },
  ): boolean {
    if (!context.hasNodeCodes) return false;
    const part = MappedPart.open(file, CODES);
    if (part instanceof MappedPart) {
      try {
        return data.codes?.map(part, frames) ?? false;
      } finally {
        part.close();
      }
    }
    if (part !== null) this.#assertRead(part, namespaceId, number);
    return false;
  }

  /** @throws UnreadableFile when it is the system, not the file, that makes it unusable */
  #assertRead(file: Unusable, namespaceId: number, segment: number): void {
    if (file.reason === 'unreadable' || file.reason === 'exhausted')
      throw new UnreadableFile(this.#path(namespaceId, segment), file);
  }

  #path(namespaceId: number, segment: number): string {
    return join(this.#folder, `${namespaceId}.${segment}${ENDING}`);
  }
}

function needFor({ parts }: Snapshot, { state, dimension }: FileHeader, { first }: MemoryPool): MemoryNeed {
  const { slotCount, graph } = state;
  const scratch = first.scratchFrames(slotCount, state.pieces.postings !== undefined);
  const { graphSlotsMin, hasNodeCodes } = first;
  const options = { slots: slotCount, graphSlotsMin, scratch, dimension, hasNodeCodes };
  const isKept = graph !== null && dimension !== null && isSameShape(graph, { dimension, hasNodeCodes });
  if (isKept) return needToRestore(parts, graph.slots, options);
  const others = parts.filter(({ name }) => !GRAPH_PARTS.has(name));
  return needToRestore(others, 0, options);
}

function isUsable(
  header: FileHeader,
  {
    namespace,
    tags,
    pool,
  }: {
    readonly namespace: { readonly namespaceId: number; readonly filterable: readonly string[] | null };
    readonly tags: readonly string[];
    readonly pool: MemoryPool;
  },
): boolean {
  const { dimension, metric, columnSeed } = pool.first;
  return (
    SEGMENT_FORMATS.includes(header.format) &&
    tags.includes(header.tag) &&
    header.dimension === dimension &&
    header.metric === metric &&
    header.columnSeed === columnSeed &&
    header.state.spaceId === namespace.namespaceId &&
    JSON.stringify(header.state.filterable) === JSON.stringify(namespace.filterable)
  );
}

/** Only this file writes derived files, and a checksum covers their headers. */
function headerOf({ header }: Snapshot): FileHeader {
  return header as FileHeader;
}
