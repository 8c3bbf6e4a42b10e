// Pieces of equal size, frames or blocks, that the kernel finds by a table of their addresses: nodes, sketches, links of samples.
import type { Address } from '../kernels/kernel-interface.ts';
import type { MemoryPart } from '../storage/derived-files/parts.ts';
import { AddressTable } from './address-table.ts';
import { type Allocator, BLOCK_BYTES } from './allocator.ts';
import type { Arena } from './arena.ts';

interface PieceContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
}

export class PieceTable {
  readonly #context: PieceContext;
  readonly #bytesEach: number;
  readonly #table: AddressTable;
  readonly #pieces: number[] = [];

  /** `bytesEach`: of a block, or of a frame; `table`: a block, the first place of the table. */
  constructor(
    context: PieceContext,
    { bytesEach, table }: { readonly bytesEach: number; readonly table: Address },
  ) {
    this.#context = context;
    this.#bytesEach = bytesEach;
    this.#table = new AddressTable(context, table);
  }

  get addresses(): readonly Address[] {
    return this.#pieces;
  }

  get bytes(): number {
    return this.#pieces.length * this.#bytesEach;
  }

  /** Frames that the table takes. */
  get tableFrames(): number {
    return this.#table.frames;
  }

  /** Address of the table. */
  get table(): Address {
    return this.#table.address;
  }

  /** Makes room, zeroed, for so many pieces. @throws ArenaFull */
  reach(count: number): void {
    while (this.#pieces.length < count) this.#pieces.push(this.#zeroedPiece());
    this.#table.extend(this.#pieces);
  }

  /** Makes room for the pieces of a file; what is in them is undefined until its part fills them. @throws ArenaFull */
  restore(count: number): void {
    while (this.#pieces.length < count) this.#pieces.push(this.#newPiece());
    this.#table.extend(this.#pieces);
  }

  /** Gives back where the table was; the kernel must have been told where it is. */
  retireOld(): void {
    this.#table.retireOld();
  }

  part(name: string): MemoryPart {
    return { name, addresses: [...this.#pieces], bytesEach: this.#bytesEach };
  }

  release(): void {
    const areBlocks = this.#bytesEach === BLOCK_BYTES;
    this.#table.release();
    this.#context.allocator.retire(areBlocks ? [] : this.#pieces, areBlocks ? this.#pieces : []);
  }

  #newPiece(): number {
    const { allocator } = this.#context;
    return this.#bytesEach === BLOCK_BYTES ? allocator.block() : allocator.frame();
  }

  #zeroedPiece(): number {
    const piece = this.#newPiece();
    const end = piece + this.#bytesEach;
    this.#context.arena.words(end).fill(0, piece / 4, end / 4);
    return piece;
  }
}
