// A list of addresses that the kernel reads as one u32 array, moved to a larger array when it is full.
import { type Allocator, BLOCK_BYTES } from './allocator.ts';
import { type Arena, FRAME_BYTES } from './arena.ts';

const ENTRY_BYTES = 4;

/** The most contiguous frames that a list allocates while it grows to this length. */
export function framesInTable(length: number): number {
  const bytes = length * ENTRY_BYTES;
  // It moves to an array of twice the length needed; the old array is freed only when readers have left it.
  return bytes <= BLOCK_BYTES ? 0 : 2 * Math.ceil((2 * bytes) / FRAME_BYTES);
}

export class AddressTable {
  readonly #arena: Arena;
  readonly #allocator: Allocator;
  #address: number;
  #bytes = BLOCK_BYTES;
  #length = 0;
  /** Frees the arrays that it has moved from. */
  #leave: (() => void)[] = [];

  /** @param block its first array, which it owns from now on */
  constructor({ arena, allocator }: { readonly arena: Arena; readonly allocator: Allocator }, block: number) {
    this.#arena = arena;
    this.#allocator = allocator;
    this.#address = block;
  }

  get address(): number {
    return this.#address;
  }

  /** Frames that it uses. */
  get frames(): number {
    return this.#bytes === BLOCK_BYTES ? 0 : this.#bytes / FRAME_BYTES;
  }

  /**
   * Extends the list to `addresses`, of which it has the first ones already. The array may move; the old one stays
   * unchanged until `retireOld`.
   * @throws ArenaFull
   */
  extend(addresses: readonly number[]): void {
    if (addresses.length * ENTRY_BYTES > this.#bytes) this.#move(addresses.length * ENTRY_BYTES);
    const words = this.#arena.words(this.#address + this.#bytes);
    for (; this.#length < addresses.length; this.#length++)
      words[this.#address / ENTRY_BYTES + this.#length] = addresses[this.#length] ?? 0;
  }

  /** Frees the arrays that it has moved from. Readers must find the new one by now. */
  retireOld(): void {
    for (const leave of this.#leave) leave();
    this.#leave = [];
  }

  release(): void {
    this.#leave.push(this.#leaving());
    this.retireOld();
  }

  #leaving(): () => void {
    const address = this.#address;
    const bytes = this.#bytes;
    if (bytes === BLOCK_BYTES) return () => this.#allocator.retire([], [address]);
    return () => this.#allocator.retire(framesOf(address, bytes), []);
  }

  #move(bytesMin: number): void {
    const frames = Math.ceil((2 * bytesMin) / FRAME_BYTES);
    const address = this.#allocator.frames(frames);
    const words = this.#arena.words(address + frames * FRAME_BYTES);
    words.copyWithin(
      address / ENTRY_BYTES,
      this.#address / ENTRY_BYTES,
      this.#address / ENTRY_BYTES + this.#length,
    );
    this.#leave.push(this.#leaving());
    this.#address = address;
    this.#bytes = frames * FRAME_BYTES;
  }
}

function framesOf(address: number, bytes: number): number[] {
  return Array.from({ length: bytes / FRAME_BYTES }, (_, i) => address + i * FRAME_BYTES);
}
