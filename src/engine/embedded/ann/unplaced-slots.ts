// Slots whose rows codes cannot describe, as readers find them: their count, then the slots. A graph has no nodes for them,
// so that every search scores them.
import { type Allocator, BLOCK_BYTES } from '../memory/allocator.ts';
import { type Arena, FRAME_BYTES } from '../memory/arena.ts';

const WORD_BYTES = 4;
/** As many may be listed in a graph of any size ... */
const LISTED_MIN = BLOCK_BYTES / WORD_BYTES - 1;
/** ... and in larger ones, this share of the slots: to score these takes a fraction of a scan. */
const LISTED_SHARE = 0.01;

/** How many slots may be listed for a graph of so many. */
export function unplacedMax(slotCount: number): number {
  return Math.max(LISTED_MIN, Math.floor(LISTED_SHARE * slotCount));
}

interface UnplacedContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
}

export class UnplacedSlots {
  readonly #context: UnplacedContext;
  #address: number;
  #bytes = BLOCK_BYTES;
  /** Frees the arrays that it has moved from. */
  #leave: (() => void)[] = [];

  /** @param block its first array, zeroed, which it owns from now on */
  constructor(context: UnplacedContext, block: number) {
    this.#context = context;
    this.#address = block;
  }

  get address(): number {
    return this.#address;
  }

  /** Bytes of its array, whole blocks. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The slots, in the order in which they were added. */
  slots(): Uint32Array {
    const words = this.#words();
    return words.slice(1, 1 + (words[0] ?? 0));
  }

  /**
   * Adds slots. Where they do not fit, it moves to another array with those that are still live; the old one stays unchanged
   * until `retireOld`.
   * @returns false, and changes nothing, with more than `max` live ones
   * @throws ArenaFull
   */
  add(
    added: readonly number[],
    { isLive, max }: { readonly max: number; isLive(slot: number): boolean },
  ): boolean {
    if (added.length === 0) return true;
    const listed = this.slots();
    if (WORD_BYTES * (1 + listed.length + added.length) > this.#bytes) {
      const live = [...listed, ...added].filter(isLive);
      if (live.length > max) return false;
      this.#move(live);
      return true;
    }
    // Readers take the count first.
    const words = this.#words();
    words.set(added, 1 + listed.length);
    words[0] = listed.length + added.length;
    return true;
  }

  /** Frees the arrays that it has moved from. Readers must find the new one by now. */
  retireOld(): void {
    for (const leave of this.#leave) leave();
    this.#leave = [];
  }

  /** Takes an array as large as a saved one, to be filled by `fill`. No reader may know the list. @throws ArenaFull */
  resize(bytes: number): void {
    if (bytes === this.#bytes) return;
    this.#moveTo(bytes);
    this.retireOld();
  }

  fill(saved: Uint8Array): void {
    this.#context.arena.bytes(this.#address + this.#bytes).set(saved, this.#address);
  }

  release(): void {
    this.#leave.push(this.#leaving());
    this.retireOld();
  }

  #words(): Uint32Array {
    const end = this.#address + this.#bytes;
    return this.#context.arena.words(end).subarray(this.#address / WORD_BYTES, end / WORD_BYTES);
  }

  /** With room for as many again. */
  #move(slots: readonly number[]): void {
    const bytes = 2 * WORD_BYTES * (1 + slots.length);
    this.#moveTo(bytes <= BLOCK_BYTES ? BLOCK_BYTES : Math.ceil(bytes / FRAME_BYTES) * FRAME_BYTES);
    const words = this.#words();
    words.set(slots, 1);
    words[0] = slots.length;
  }

  #moveTo(bytes: number): void {
    const { allocator } = this.#context;
    const address = bytes === BLOCK_BYTES ? allocator.block() : allocator.frames(bytes / FRAME_BYTES);
    this.#leave.push(this.#leaving());
    this.#address = address;
    this.#bytes = bytes;
  }

  #leaving(): () => void {
    const { allocator } = this.#context;
    const address = this.#address;
    if (this.#bytes === BLOCK_BYTES) return () => allocator.retire([], [address]);
    const frames = Array.from({ length: this.#bytes / FRAME_BYTES }, (_, i) => address + i * FRAME_BYTES);
    return () => allocator.retire(frames, []);
  }
}
