// Tests cells of columns by the kernel, whose bits go where a filter's matches are put later.
import type { NumericRange } from '../filters/cell-order.ts';
import type { CellSet } from '../filters/cell-set.ts';
import type { BlockCells, Cell, CellTests } from '../filters/entry-predicate.ts';
import { ENTRY_BITS_WORDS } from '../filters/layout.ts';
import type { Cells, Kernel } from '../kernels/kernel.ts';
import type { Selection } from './selection.ts';

export class KernelCellTests implements CellTests {
  readonly #kernel: Kernel;
  readonly #area: { readonly address: number; readonly bytes: number };
  readonly #found: Uint32Array;

  /** For the columns of the segment that is selected from. */
  constructor({ workspace: { kernel, arena }, layout: { narrowing, members } }: Selection) {
    this.#kernel = kernel;
    this.#area = members;
    this.#found = new Uint32Array(
      arena.bufferOf(members.address + members.bytes),
      narrowing,
      ENTRY_BITS_WORDS,
    );
  }

  testWithin(cells: BlockCells, range: NumericRange, bits: Uint32Array): void {
    this.#kernel.testWithin(cellsOf(cells), range, this.#found.byteOffset);
    bits.set(this.#found);
  }

  testCell(cells: BlockCells, cell: Cell, bits: Uint32Array): void {
    this.#kernel.testCell(cellsOf(cells), cell, this.#found.byteOffset);
    bits.set(this.#found);
  }

  takeSet(set: CellSet): boolean {
    return set.store(this.#found.buffer, this.#area);
  }

  testMember(cells: BlockCells, bits: Uint32Array): void {
    this.#kernel.testMember(cellsOf(cells), this.#area.address, this.#found.byteOffset);
    bits.set(this.#found);
  }
}

function cellsOf({ firstCell, count }: BlockCells): Cells {
  return { address: firstCell * BigInt64Array.BYTES_PER_ELEMENT, count };
}
