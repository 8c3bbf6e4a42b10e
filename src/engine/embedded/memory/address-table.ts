// A list of addresses that the kernel reads as one u32 array: moved to a longer one when it outgrows its place.
import { type Allocator, BLOCK_BYTES } from './allocator.ts';
import { type Arena, FRAME_BYTES } from './arena.ts';

const ENTRY_BYTES = 4;

/** Most frames in a row that a list takes on the way to this length. */
export function framesInTable(length: number): number {
  const bytes = length * ENTRY_BYTES;
  // It moves to twice the length that does not fit any more; the place before it goes only when readers have left it.
  return bytes <= BLOCK_BYTES ? 0 : 2 * Math.ceil((2 * bytes) / FRAME_BYTES);
}

export class AddressTable {
  readonly #arena: Arena;
  readonly #allocator: Allocator;
  #address: number;
  #bytes = BLOCK_BYTES;
  #length = 0;
  /** Gives the places back that it has moved from. */
  #leave: (() => void)[] = [];

  /** `block`: its first place, which goes with it. */
  constructor({ arena, allocator }: { readonly arena: Arena; readonly allocator: Allocator }, block: number) {
    this.#arena = arena;
    this.#allocator = allocator;
    this.#address = block;
  }

  get address(): number {
    return this.#address;
  }

  /** Frames that it takes. */
  get frames(): number {
    return this.#bytes === BLOCK_BYTES ? 0 : this.#bytes / FRAME_BYTES;
  }

  /**
   * Makes the list as long as `addresses`, of which it has the first ones already. The array may move; the old one stays
   * as it is until `retireOld`.
   * @throws ArenaFull
   */
  extend(addresses: readonly number[]): void {
    if (addresses.length * ENTRY_BYTES > this.#bytes) this.#move(addresses.length * ENTRY_BYTES);
    const words = this.#arena.words(this.#address + this.#bytes);
    for (; this.#length < addresses.length; this.#length++)
      words[this.#address / ENTRY_BYTES + this.#length] = addresses[this.#length] ?? 0;
  }

  /** Gives the places it has moved from back; whoever looks for the list must find the new one from now on. */
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
