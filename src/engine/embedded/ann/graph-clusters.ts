// The clusters of a graph, through which searches enter it: trained anew as the graph grows.
import type { Part } from '../storage/derived-files/parts.ts';
import { ClusterMemory, type SavedClusters } from './cluster-memory.ts';
import { areClustersDue, clusterCount } from './cluster-sizing.ts';
import type { GraphContext } from './graph-context.ts';

/** The part of a graph that its clusters depend on. */
export interface ClusteredGraph {
  readonly address: number;
  /** All slots below this one have been offered to the graph. */
  readonly slots: number;
  /** Some slots below this one, and none above, may be in the graph already. */
  readonly begun: number;
}

export class GraphClusters {
  readonly #context: GraphContext;
  readonly #graph: ClusteredGraph;
  #current: ClusterMemory | null = null;

  constructor(context: GraphContext, graph: ClusteredGraph) {
    this.#context = context;
    this.#graph = graph;
  }

  /** True when the graph has grown so much since its clusters were trained that it needs new ones. */
  get areDue(): boolean {
    return areClustersDue(this.#graph.slots, this.trainedAt);
  }

  /** Slots of the graph when its clusters were trained; 0 without clusters. */
  get trainedAt(): number {
    return this.#current?.trainedAt ?? 0;
  }

  get bytes(): number {
    return this.#current?.bytes ?? 0;
  }

  /** Frames that the tables of frames take. */
  get tableFrames(): number {
    return this.#current?.tableFrames ?? 0;
  }

  /** Allocates memory for new clusters. Train them, then use or release them. @throws ArenaFull */
  allocate(): ClusterMemory {
    const { slots, begun } = this.#graph;
    return new ClusterMemory(this.#context, {
      count: clusterCount(slots),
      trainedAt: slots,
      slotLimit: begun,
    });
  }

  /** Makes searches enter through these clusters from now on. */
  use(clusters: ClusterMemory): void {
    const before = this.#current;
    this.#current = clusters;
    this.#context.kernel.graph.useClusters(this.#graph.address, clusters.address);
    before?.release();
  }

  /** Notes that nodes were deleted: clusters may be empty now. */
  expire(): void {
    this.#current?.expire();
  }

  /** Allocates memory for the slots below `slotLimit`. @throws ArenaFull */
  reach(slotLimit: number): void {
    this.#current?.reach(slotLimit);
  }

  save(): ReturnType<ClusterMemory['save']> | null {
    return this.#current?.save() ?? null;
  }

  /** Allocates saved clusters of a graph of `slots` slots. Fill the parts, then call `finish`. @throws ArenaFull */
  restore(
    saved: SavedClusters | null,
    slots: number,
  ): { readonly parts: readonly Part[]; readonly finish: () => void } {
    const { address: graph } = this.#graph;
    const restored = saved && ClusterMemory.restore(this.#context, { graph, slots, saved });
    this.#current = restored?.clusters ?? null;
    return {
      parts: restored?.parts ?? [],
      finish: () => {
        restored?.finish();
        this.#context.kernel.graph.useClusters(graph, restored?.clusters.address ?? 0);
      },
    };
  }

  release(): void {
    this.#current?.release();
  }
}
