// The quantized dense vectors of a segment, in frames.
import type { Metric } from '../../../domain/index-model.ts';
import type { Kernel } from '../kernels/kernel.ts';
import {
  codeStride,
  META_BYTES,
  META_RESIDUAL_NORM,
  META_SCALE,
  metaOffset,
  rowsPerFrame,
} from '../kernels/layout.ts';
import type { Allocator } from '../memory/allocator.ts';
import { type Arena, FRAME_BYTES } from '../memory/arena.ts';
import type { FileBytes } from '../memory/file-frames.ts';
import { PieceList } from '../memory/piece-list.ts';
import { CodeSpace } from './code-space.ts';

interface CodeContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly metric: Metric;
  readonly rowScratch: number;
  /** True where codes need not stay in memory. */
  readonly hasNodeCodes: boolean;
}

export class CodeFrames {
  readonly frames = new PieceList();
  readonly #context: CodeContext;
  readonly #dimension: number;
  readonly #rowsPerFrame: number;
  #space: CodeSpace;
  /** Where a frame has the codes and the metadata of its first row, and how many bytes each row has. */
  readonly #codes: { readonly offset: number; readonly length: number };
  readonly #metadata: { readonly offset: number; readonly length: number };

  /** @param origin what vectors are encoded relative to; null for zero */
  constructor(context: CodeContext, dimension: number, origin: Float32Array<ArrayBuffer> | null) {
    this.#context = context;
    this.#dimension = dimension;
    this.#space = new CodeSpace(context.metric, origin);
    this.#rowsPerFrame = rowsPerFrame(dimension);
    this.#codes = { offset: 0, length: codeStride(dimension) };
    this.#metadata = { offset: metaOffset(dimension, 0), length: META_BYTES };
  }

  /** What the codes describe. */
  get space(): CodeSpace {
    return this.#space;
  }

  /** Frames that `slotCount` slots take. */
  framesFor(slotCount: number): number {
    return Math.ceil(slotCount / this.#rowsPerFrame);
  }

  /** Encodes the vector of the next slot. @throws ArenaFull */
  append(slot: number, values: Float32Array): void {
    const { arena, kernel, rowScratch } = this.#context;
    this.#reach(slot);
    new Float32Array(arena.buffer, rowScratch, values.length).set(this.#space.place(values));
    kernel.encodeRow(rowScratch, values.length, this.frames.last, slot % this.#rowsPerFrame);
  }

  /** Gives the next slot the vector of another one. @throws ArenaFull */
  copy(slot: number, from: number): void {
    this.#reach(slot);
    const { arena } = this.#context;
    const source = this.frames.addresses[Math.floor(from / this.#rowsPerFrame)] ?? 0;
    const target = this.frames.last;
    const bytes = arena.bytes(Math.max(source, target) + FRAME_BYTES);
    for (const { offset, length } of [this.#codes, this.#metadata]) {
      const first = source + offset + (from % this.#rowsPerFrame) * length;
      bytes.copyWithin(target + offset + (slot % this.#rowsPerFrame) * length, first, first + length);
    }
  }

  /** What the codes of a slot describe, as far as they tell; null where they tell nothing. */
  decode(slot: number): Float32Array | null {
    const frame = this.frames.addresses[Math.floor(slot / this.#rowsPerFrame)] ?? 0;
    const row = slot % this.#rowsPerFrame;
    const buffer = this.#context.arena.bufferOf(frame + FRAME_BYTES);
    const metadata = new DataView(buffer, frame + this.#metadata.offset + row * META_BYTES, META_BYTES);
    if (!Number.isFinite(metadata.getFloat32(META_RESIDUAL_NORM, true))) return null;
    const codes = new Int8Array(buffer, frame + row * this.#codes.length, this.#dimension);
    const scale = metadata.getFloat32(META_SCALE, true);
    const values = new Float32Array(codes.length);
    for (let at = 0; at < codes.length; at++) values[at] = scale * (codes[at] ?? 0);
    return values;
  }

  /** Allocates the frame of the next slot if it begins one. */
  #reach(slot: number): void {
    // An append that failed for lack of memory has left its frame.
    if (this.frames.addresses.length * this.#rowsPerFrame === slot) this.frames.push(this.#newFrame());
  }

  /** Maps the frames of a saved segment from its file. @returns false, and has none, where they cannot lie there */
  map(saved: FileBytes, count: number): boolean {
    const { allocator, hasNodeCodes } = this.#context;
    const mapped = hasNodeCodes ? allocator.framesFrom(saved, count) : null;
    for (const frame of mapped ?? []) this.frames.push(frame);
    return mapped !== null;
  }

  /**
   * Allocates the frames of a saved segment, unless they were mapped.
   * @param origin of its codes; may be filled later
   * @returns whether they were; otherwise their content is undefined. @throws ArenaFull
   */
  restore(count: number, origin: Float32Array<ArrayBuffer> | null): boolean {
    this.#space = new CodeSpace(this.#context.metric, origin);
    const areMapped = this.frames.addresses.length > 0;
    while (this.frames.addresses.length < count) this.frames.push(this.#newFrame());
    return areMapped;
  }

  /** Allocates a frame, whose content is undefined. @throws ArenaFull */
  #newFrame(): number {
    const { allocator, hasNodeCodes } = this.#context;
    return hasNodeCodes ? allocator.frameInFile() : allocator.frame();
  }
}
