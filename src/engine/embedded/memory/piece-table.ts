// Frames or blocks that the kernel finds by a table of their addresses: graph nodes, binary codes, samples.
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

  /** @param options `bytesEach`: size of a block or of a frame; `table`: a block, the table's first array */
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

  /** Frames that the table uses. */
  get tableFrames(): number {
    return this.#table.frames;
  }

  /** Address of the table. */
  get table(): Address {
    return this.#table.address;
  }

  /** Allocates zeroed pieces until there are `count`. @throws ArenaFull */
  reach(count: number): void {
    while (this.#pieces.length < count) this.#pieces.push(this.#zeroedPiece());
    this.#table.extend(this.#pieces);
  }

  /** Allocates `count` pieces to be filled from a file; until then their content is undefined. @throws ArenaFull */
  restore(count: number): void {
    while (this.#pieces.length < count) this.#pieces.push(this.#newPiece());
    this.#table.extend(this.#pieces);
  }

  /** Frees the table's old arrays; the kernel must know the new one. */
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
