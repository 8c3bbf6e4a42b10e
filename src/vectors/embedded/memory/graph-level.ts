// The nodes of a graph, or of a layer of entries above it: their frames, and the table by which the kernel finds them.
import { frameBytesOf, type GraphLayer, layerFrames } from '../kernels/graph-layers.ts';
import type { Address } from '../kernels/kernel-interface.ts';
import type { MemoryPart } from '../snapshots/parts.ts';
import { AddressTable } from './address-table.ts';
import { type Allocator, BLOCK_BYTES } from './allocator.ts';
import type { Arena } from './arena.ts';

interface LevelContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
}

export class GraphLevel {
  readonly layer: GraphLayer;
  /** The kernel's header. */
  readonly address: Address;
  readonly #context: LevelContext;
  readonly #table: AddressTable;
  /** Whole frames for a graph, blocks for a layer. */
  readonly #frames: number[] = [];

  constructor(
    layer: GraphLayer,
    context: LevelContext,
    places: { readonly address: Address; readonly table: Address },
  ) {
    this.layer = layer;
    this.address = places.address;
    this.#context = context;
    this.#table = new AddressTable(context, places.table);
  }

  get bytes(): number {
    return this.#frames.length * frameBytesOf(this.layer);
  }

  get frameCount(): number {
    return this.#frames.length;
  }

  /** Frames that the table takes. */
  get tableFrames(): number {
    return this.#table.frames;
  }

  /** Address of the table of frames. */
  get table(): Address {
    return this.#table.address;
  }

  /** Makes room, zeroed, for the nodes of all slots below `slotLimit`. @throws ArenaFull */
  reach(slotLimit: number): void {
    const frameCount = layerFrames(slotLimit, this.layer);
    while (this.#frames.length < frameCount) this.#frames.push(this.#zeroedFrame());
    this.#table.extend(this.#frames);
  }

  /** Makes room for the frames of a file; what is in them is undefined until its part fills them. @throws ArenaFull */
  restore(frameCount: number): void {
    while (this.#frames.length < frameCount) this.#frames.push(this.#newFrame());
  }

  /** Gives back where the table was; the kernel must have been told where it is. */
  retireOld(): void {
    this.#table.retireOld();
  }

  part(name: string): MemoryPart {
    return { name, addresses: [...this.#frames], bytesEach: frameBytesOf(this.layer) };
  }

  release(): void {
    const isLayer = frameBytesOf(this.layer) === BLOCK_BYTES;
    this.#table.release();
    this.#context.allocator.retire(isLayer ? [] : this.#frames, isLayer ? this.#frames : []);
  }

  #newFrame(): number {
    const { allocator } = this.#context;
    return frameBytesOf(this.layer) === BLOCK_BYTES ? allocator.block() : allocator.frame();
  }

  #zeroedFrame(): number {
    const frame = this.#newFrame();
    const end = frame + frameBytesOf(this.layer);
    this.#context.arena.words(end).fill(0, frame / 4, end / 4);
    return frame;
  }
}
