// The quantized dense vectors of a segment, in frames.
import type { Kernel } from '../kernels/kernel.ts';
import { rowsPerFrame } from '../kernels/layout.ts';
import type { Allocator } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import { PieceList } from '../memory/piece-list.ts';

interface CodeContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly rowScratch: number;
}

export class CodeFrames {
  readonly frames = new PieceList();
  readonly #context: CodeContext;
  readonly #rowsPerFrame: number;

  constructor(context: CodeContext, dimension: number) {
    this.#context = context;
    this.#rowsPerFrame = rowsPerFrame(dimension);
  }

  /** Frames that `slotCount` slots take. */
  framesFor(slotCount: number): number {
    return Math.ceil(slotCount / this.#rowsPerFrame);
  }

  /** Encodes the vector of the next slot. @throws ArenaFull */
  append(slot: number, values: Float32Array): void {
    const { arena, allocator, kernel, rowScratch } = this.#context;
    const rowInFrame = slot % this.#rowsPerFrame;
    // An append that failed for lack of memory has left its frame.
    if (rowInFrame === 0 && this.frames.addresses.length * this.#rowsPerFrame === slot)
      this.frames.push(allocator.frame());
    new Float32Array(arena.buffer, rowScratch, values.length).set(values);
    kernel.encodeRow(rowScratch, values.length, this.frames.last, rowInFrame);
  }
}
