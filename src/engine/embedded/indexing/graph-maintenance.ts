// Keeps graphs in step with their segments: creates them, indexes new slots, consolidates deletes, retrains clusters.
// Builders do the work beside queries and writes; one step at a time runs on a graph.
import { EF_CONSTRUCTION } from '../ann/build-tuning.ts';
import type { GraphMemory } from '../ann/graph-memory.ts';
import { ArenaFull } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import type { BuildAnswer, Builders, BuildJob } from './builds/builders.ts';
import type { Warn } from './index-warnings.ts';

export interface MaintenanceLimits {
  /** Live records from which on a segment has a graph; below, a scan is as fast (docs/decisions/017-graph-search.md). */
  readonly graphRecordsMin: number;
  /** Fewer unindexed slots are not worth a step. */
  readonly unindexedSlotsMin: number;
}

export const MAINTENANCE_LIMITS: MaintenanceLimits = { graphRecordsMin: 10_000, unindexedSlotsMin: 256 };

/** Saves segments, see SegmentCheckpointer, and finds memory for their graphs. */
export interface Checkpointing {
  /** @param isGrowing whether its graph is being built, or lacks slots */
  isDue(segment: SegmentWriter, isGrowing: boolean): boolean;
  /** Never rejects. */
  save(segment: SegmentWriter): Promise<void>;
  /** Called when there is too little memory to complete the graph of this segment. */
  needsMemory(segment: SegmentWriter): void;
}

/** Share of the slots that must be indexed before the segment is worth a file. */
const SAVED_SHARE_MIN = 0.75;
/** A graph is dropped below this share of the minimum: hysteresis, so that graphs do not come and go. */
const SHRINK_SHARE = 0.5;
/** Slots indexed before they are published: at most, and at least while a graph is small, so that it soon has clusters. */
const SLOTS_A_STEP = 8_192;
const SLOTS_A_STEP_MIN = 1_024;
/** Slots a job: some 30 ms of work. */
const SLOTS_A_JOB = 128;
/** Slots consolidated in a job. */
const CONSOLIDATED_A_JOB = 4_096;
/** Tombstones that make a consolidation worth it: at least, and as a share of the graph. */
const GRAPH_TOMBSTONES_MIN = 1_024;
const GRAPH_TOMBSTONE_SHARE_MAX = 0.2;
/** When a graph that could not grow is tried again. */
const RETRY_MS = 30_000;

/** Work was aborted because the segment leaves memory; its graph is not used any more. */
class Stopped extends Error {}

export class GraphMaintenance {
  readonly #builders: Builders | null;
  readonly #limits: MaintenanceLimits;
  readonly #warn: Warn;
  #checkpointing: Checkpointing | null = null;
  readonly #running = new Map<SegmentWriter, Promise<void>>();
  /** Segments that leave memory. */
  readonly #retired = new WeakSet<SegmentWriter>();
  /** Until when (of performance.now()) a graph cannot grow: for lack of memory, or for too many rows that codes cannot represent. */
  readonly #stuck = new WeakMap<SegmentWriter, number>();
  /** Segments of which was told that their graphs do not grow. */
  readonly #heldBack = new WeakSet<SegmentWriter>();
  /** Slots that the running step has indexed. */
  readonly #inserted = new WeakMap<SegmentWriter, number>();
  #closed = false;

  /** @param builders null to scan everything */
  constructor(builders: Builders | null, limits: MaintenanceLimits, warn: Warn) {
    this.#builders = builders;
    this.#limits = limits;
    this.#warn = warn;
  }

  /** Lets segments be saved from now on. */
  checkpointWith(checkpointing: Checkpointing): void {
    this.#checkpointing = checkpointing;
  }

  /** Starts the next step that is due on a segment, unless one is running. */
  consider(memory: SegmentWriter): void {
    if (this.#closed || this.#running.has(memory) || this.#retired.has(memory)) return;
    const step = this.#nextStep(memory);
    if (step === null) return;
    const run = step()
      .catch((error: unknown) => this.#failed(memory, error))
      .finally(() => {
        this.#running.delete(memory);
        this.consider(memory);
      });
    this.#running.set(memory, run);
  }

  /** True while any step runs. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** True when a segment of so many records should have a graph. */
  wantsGraph(records: number): boolean {
    return this.#builders !== null && records >= this.#limits.graphRecordsMin;
  }

  /** True when so many slots are in a graph, or there is to be none, that the segment is worth a file. */
  isIndexed(memory: SegmentWriter): boolean {
    const { context, graphIndex, liveCount, slotCount } = memory;
    if (context.dimension === null || this.#isStuck(memory)) return true;
    const { graph } = graphIndex;
    return graph === null ? !this.wantsGraph(liveCount) : graph.slots >= slotCount * SAVED_SHARE_MIN;
  }

  /** Progress of the graph: indexed slots, unindexed slots, and those of the build that is due or running. */
  progressOf(memory: SegmentWriter): {
    readonly graphSlots: number;
    readonly unindexedSlots: number;
    readonly building: { readonly done: number; readonly total: number } | null;
  } {
    const { slotCount, liveCount } = memory;
    const { graph } = memory.graphIndex;
    const graphSlots = graph?.slots ?? 0;
    const isIndexed = memory.context.dimension !== null && (graph !== null || this.wantsGraph(liveCount));
    const unindexedSlots = isIndexed ? slotCount - graphSlots : 0;
    const isBehind = unindexedSlots >= this.#limits.unindexedSlotsMin && !this.#isStuck(memory);
    const done = Math.min(slotCount, graphSlots + (this.#inserted.get(memory) ?? 0));
    return { graphSlots, unindexedSlots, building: isBehind ? { done, total: slotCount } : null };
  }

  /** Starts nothing more on the segment; resolves when no job uses its memory. */
  async retire(memory: SegmentWriter): Promise<void> {
    this.#retired.add(memory);
    await this.#running.get(memory);
  }

  /** Resolves when no step is running or due. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
  }

  #nextStep(memory: SegmentWriter): (() => Promise<void>) | null {
    if (memory.context.dimension === null || this.#builders === null) return this.#saving(memory);
    const { liveCount } = memory;
    const { graph, tombstones } = memory.graphIndex;
    const { graphRecordsMin, unindexedSlotsMin } = this.#limits;
    const isStuck = this.#isStuck(memory);
    const isBehind = graph !== null && !isStuck && memory.slotCount - graph.slots >= unindexedSlotsMin;
    const isDue = this.isIndexed(memory) && (this.#checkpointing?.isDue(memory, isBehind) ?? false);
    if (graph === null && liveCount >= graphRecordsMin && !isStuck)
      return async () => this.#index(memory, memory.graphIndex.start());
    if (graph !== null && liveCount < graphRecordsMin * SHRINK_SHARE)
      return async () => memory.graphIndex.drop();
    if (
      graph !== null &&
      tombstones > Math.max(GRAPH_TOMBSTONES_MIN, graph.slots * GRAPH_TOMBSTONE_SHARE_MAX) &&
      !isStuck
    )
      return () => this.#consolidate(memory, graph);
    if (graph?.clusters.areDue && !isStuck) return () => this.#retrainClusters(memory, graph);
    if (isDue) return async () => this.#checkpointing?.save(memory);
    return isBehind ? () => this.#index(memory, graph) : null;
  }

  /** Saves a segment that has no graph ever, when that is due. */
  #saving(memory: SegmentWriter): (() => Promise<void>) | null {
    const checkpointing = this.#checkpointing?.isDue(memory, false) ? this.#checkpointing : null;
    return checkpointing && (() => checkpointing.save(memory));
  }

  /** Inserts the next unindexed slots into the graph. */
  async #index(memory: SegmentWriter, graph: GraphMemory): Promise<void> {
    const step = Math.max(SLOTS_A_STEP_MIN, Math.min(SLOTS_A_STEP, graph.slots));
    const until = Math.min(memory.slotCount, graph.slots + step);
    memory.graphIndex.extend(until);
    const slots = memory.data.live.slots(graph.slots, until);
    // The first node is inserted alone: others link to it.
    const alone = graph.isEmpty ? 1 : 0;
    const into = { graph, slotLimit: until };
    this.#inserted.delete(memory);
    const first = await this.#insert(memory, [slots.slice(0, alone)], into);
    const rest = await this.#insert(memory, inBatches(slots.subarray(alone), SLOTS_A_JOB), into);
    this.#inserted.delete(memory);
    const isLive = (slot: number) => memory.data.live.has(slot);
    const { slotCount } = memory;
    if (graph.advance(until, [...first, ...rest], { slotCount, isLive })) memory.graphIndex.publish();
    else this.#holdBack(memory, graph);
  }

  async #insert(
    memory: SegmentWriter,
    batches: readonly Uint32Array[],
    { graph, slotLimit }: { readonly graph: GraphMemory; readonly slotLimit: number },
  ): Promise<number[]> {
    const refused: number[] = [];
    const waiting = batches.filter((slots) => slots.length > 0).values();
    const insertNext = async () => {
      for (const slots of waiting) {
        if (this.#isStopped(memory)) throw new Stopped();
        const job = {
          kind: 'insert',
          graph: graph.address,
          slots,
          slotLimit,
          efConstruction: EF_CONSTRUCTION,
        } as const;
        refused.push(...(await this.#run(memory, job)).refused);
        this.#inserted.set(memory, (this.#inserted.get(memory) ?? 0) + slots.length);
      }
    };
    // Each builder has one job that runs and one that waits.
    await all(Array.from({ length: 2 * (this.#builders?.count ?? 0) }, insertNext));
    return refused;
  }

  /** Trains the clusters from which searches choose their entry points. */
  async #retrainClusters(memory: SegmentWriter, graph: GraphMemory): Promise<void> {
    const { dimension, allocator } = memory.context;
    const { codes } = memory.data;
    if (dimension === null || codes === null) return;
    const clusters = allocator.withReserved(() => graph.clusters.allocate());
    try {
      const { address, count, addresses } = clusters;
      const into = { graph: graph.address, clusters: address, count, ...addresses };
      // Includes what an aborted step has inserted: the next one skips it.
      const options = { dim: dimension, metric: codes.space.metric, slotLimit: graph.begun };
      const answer = await this.#run(memory, { kind: 'train-clusters', ...into, ...options });
      clusters.setCount(answer.clusters);
    } catch (error) {
      clusters.release();
      throw error;
    }
    graph.clusters.use(clusters);
    memory.graphIndex.reservation.update();
  }

  /** Consolidates deletes: removes tombstones from the graph and reconnects their neighbors. */
  async #consolidate(memory: SegmentWriter, graph: GraphMemory): Promise<void> {
    const { allocator } = memory.context;
    const slotLimit = graph.slots;
    const { tombstones } = memory.graphIndex;
    const frameCount = Math.ceil(slotLimit / 8 / FRAME_BYTES);
    const live = allocator.withReserved(() => allocator.frames(frameCount));
    try {
      memory.data.live.copyToArena(live, slotLimit);
      await this.#removeTombstones(memory, graph, live);
      graph.clusters.expire();
      memory.graphIndex.consolidated(tombstones);
    } finally {
      const frames = Array.from({ length: frameCount }, (_, i) => live + i * FRAME_BYTES);
      allocator.retire(frames, []);
    }
  }

  async #removeTombstones(
    memory: SegmentWriter,
    { address: graph, slots: slotLimit }: GraphMemory,
    live: number,
  ): Promise<void> {
    const work = { graph, live, slotLimit, efConstruction: EF_CONSTRUCTION };
    for (let from = 0; from < slotLimit; from += CONSOLIDATED_A_JOB) {
      if (this.#isStopped(memory)) throw new Stopped();
      const until = Math.min(from + CONSOLIDATED_A_JOB, slotLimit);
      await this.#run(memory, { kind: 'consolidate-deletes', ...work, from, until });
    }
    await this.#run(memory, { kind: 'drop-deleted', ...work });
  }

  #isStuck(memory: SegmentWriter): boolean {
    return performance.now() < (this.#stuck.get(memory) ?? 0);
  }

  #isStopped(memory: SegmentWriter): boolean {
    return this.#closed || this.#retired.has(memory);
  }

  #run({ context }: SegmentWriter, job: BuildJob): Promise<BuildAnswer> {
    if (this.#builders === null) throw new Error('there are no builders');
    return this.#builders.run(context.arena.memory, job);
  }

  #failed(memory: SegmentWriter, error: unknown): void {
    if (error instanceof Stopped) return;
    if (error instanceof ArenaFull) {
      // What is indexed stays; the rest is scanned. The kernel skips what the aborted step has inserted.
      this.#inserted.delete(memory);
      this.#stuck.set(memory, performance.now() + RETRY_MS);
      this.#checkpointing?.needsMemory(memory);
      return;
    }
    // A builder died during a change: the graph may be broken. The next step creates a new one.
    memory.graphIndex.drop();
    this.#warn(error);
  }

  /** Lets a graph be as it is, and the rest be scanned, while codes cannot describe too many of the rows that follow. */
  #holdBack(memory: SegmentWriter, graph: GraphMemory): void {
    const { slots } = graph;
    if (slots === 0) memory.graphIndex.drop();
    this.#stuck.set(memory, performance.now() + RETRY_MS);
    if (this.#heldBack.has(memory)) return;
    this.#heldBack.add(memory);
    this.#warn(
      `the graph of ${slots} of ${memory.slotCount} vectors does not grow, and the others are scanned: ` +
        'more than 1 in 100, and 1,023, have components that 8-bit codes cannot describe, beyond 2^50 for example',
    );
  }
}

function inBatches(slots: Uint32Array, size: number): Uint32Array[] {
  return Array.from({ length: Math.ceil(slots.length / size) }, (_, i) =>
    slots.slice(i * size, (i + 1) * size),
  );
}

/** As `Promise.all`, but waits for every one: memory must not be freed before the last one is done with it. */
async function all(promises: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
