// The quantized dense vectors of a segment, in frames.
import type { Kernel } from '../kernels/kernel.ts';
import { codeStride, META_BYTES, metaOffset, rowsPerFrame } from '../kernels/layout.ts';
import type { Allocator } from '../memory/allocator.ts';
import { type Arena, FRAME_BYTES } from '../memory/arena.ts';
import type { FileBytes } from '../memory/file-frames.ts';
import { PieceList } from '../memory/piece-list.ts';

interface CodeContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly rowScratch: number;
  /** True where codes need not stay in memory. */
  readonly hasNodeCodes: boolean;
}

export class CodeFrames {
  readonly frames = new PieceList();
  readonly #context: CodeContext;
  readonly #rowsPerFrame: number;
  /** Where a frame has the codes and the metadata of its first row, and how many bytes each row has. */
  readonly #codes: { readonly offset: number; readonly length: number };
  readonly #metadata: { readonly offset: number; readonly length: number };

  constructor(context: CodeContext, dimension: number) {
    this.#context = context;
    this.#rowsPerFrame = rowsPerFrame(dimension);
    this.#codes = { offset: 0, length: codeStride(dimension) };
    this.#metadata = { offset: metaOffset(dimension, 0), length: META_BYTES };
  }

  /** Frames that `slotCount` slots take. */
  framesFor(slotCount: number): number {
    return Math.ceil(slotCount / this.#rowsPerFrame);
  }

  /** Encodes the vector of the next slot. @throws ArenaFull */
  append(slot: number, values: Float32Array): void {
    const { arena, kernel, rowScratch } = this.#context;
    this.#reach(slot);
    new Float32Array(arena.buffer, rowScratch, values.length).set(values);
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
   * @returns whether they were; otherwise their content is undefined. @throws ArenaFull
   */
  restore(count: number): boolean {
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
