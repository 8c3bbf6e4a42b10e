// Memory for what is replaced as it grows, in pieces of some sizes: heads of posting lists, and extents of their directories.
// A piece that was freed is used again once no reader can see it.
import { PieceList } from '../memory/piece-list.ts';
import { addressAt, FRAME_BYTES, POSITION_FRAME_SHIFT, type TextMemory } from './layout.ts';
import type { SavedHeads } from './saved-texts.ts';

/** Sizes of pieces: about four for each doubling, up to a frame. */
export const PIECE_BYTES: readonly number[] = sizes();
/** Where pieces start in the first frame, so that no position is 0. */
const FIRST_PIECE_BYTE = 16;

interface Freed {
  readonly epoch: number;
  readonly pieces: readonly (readonly [position: number, size: number])[];
}

export class HeadMemory {
  readonly frames = new PieceList();
  readonly #memory: TextMemory;
  readonly #free: number[][] = PIECE_BYTES.map(() => []);
  #freed: (readonly [position: number, size: number])[] = [];
  #waiting: Freed[] = [];
  #byte = FRAME_BYTES;

  constructor(memory: TextMemory) {
    this.#memory = memory;
  }

  /** Number of the smallest size of at least `bytes`. */
  static sizeFor(bytes: number): number {
    let size = 0;
    while ((PIECE_BYTES[size] ?? 0) < bytes) size++;
    return size;
  }

  /** @returns the position of a piece of that size, of undefined content; other than 0. @throws when memory is full */
  allocate(size: number): number {
    const free = this.#free[size]?.pop();
    if (free !== undefined) return free;
    const bytes = PIECE_BYTES[size] ?? 0;
    if (this.#byte + bytes > FRAME_BYTES) this.#addFrame();
    if (this.#byte + bytes > FRAME_BYTES) this.#addFrame();
    const position = this.#positionOf(this.#byte);
    this.#byte += bytes;
    return position;
  }

  /** Frees a piece that readers may see until the next `reclaim`, and a while after. */
  free(position: number, size: number): void {
    this.#freed.push([position, size]);
  }

  /** Frees a piece that no reader has seen. */
  freeUnseen(position: number, size: number): void {
    this.#free[size]?.push(position);
  }

  /** Where a position lies. */
  addressOf(position: number): number {
    return addressAt(this.frames.addresses, position);
  }

  /** Uses freed pieces again that no reader can see any more. Call when readers that start now cannot find those freed since. */
  reclaim(): void {
    if (this.#freed.length > 0) {
      this.#waiting.push({ epoch: this.#memory.epochs.advance(), pieces: this.#freed });
      this.#freed = [];
    }
    const oldest = this.#memory.epochs.oldestPinned();
    const unseen = this.#waiting.filter(({ epoch }) => epoch <= oldest);
    if (unseen.length === 0) return;
    this.#waiting = this.#waiting.filter(({ epoch }) => epoch > oldest);
    for (const { pieces } of unseen) for (const [position, size] of pieces) this.#free[size]?.push(position);
  }

  /** A copy, since pieces change. */
  save(): { readonly saved: SavedHeads; readonly bytes: Uint8Array } {
    const { addresses } = this.frames;
    const bytes = new Uint8Array(addresses.length * FRAME_BYTES);
    for (const [i, frame] of addresses.entries())
      bytes.set(
        this.#memory.bytes(frame + FRAME_BYTES).subarray(frame, frame + FRAME_BYTES),
        i * FRAME_BYTES,
      );
    const free = this.#free.map((positions) => [...positions]);
    for (const { pieces } of this.#waiting) for (const [position, size] of pieces) free[size]?.push(position);
    return { saved: { frames: addresses.length, byte: this.#byte, free }, bytes };
  }

  /** Allocates the frames of saved pieces in this empty memory. @returns what writes their bytes. @throws when memory is full */
  restore({ frames, byte, free }: SavedHeads): (bytes: Uint8Array) => void {
    while (this.frames.addresses.length < frames) this.frames.push(this.#memory.frames(1));
    this.#byte = byte;
    for (const [size, positions] of free.entries())
      for (const position of positions) this.#free[size]?.push(position);
    return (bytes) => {
      for (const [i, frame] of this.frames.addresses.entries())
        this.#memory
          .bytes(frame + FRAME_BYTES)
          .set(bytes.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES), frame);
    };
  }

  #addFrame(): void {
    const frame = this.#memory.frames(1);
    this.#freeRest();
    this.frames.push(frame);
    this.#byte = this.frames.addresses.length === 1 ? FIRST_PIECE_BYTE : 0;
  }

  /** Cuts what is left of the last frame into pieces. */
  #freeRest(): void {
    for (let size = PIECE_BYTES.length - 1; size >= 0; size--) {
      const bytes = PIECE_BYTES[size] ?? 0;
      while (this.#byte + bytes <= FRAME_BYTES) {
        this.#free[size]?.push(this.#positionOf(this.#byte));
        this.#byte += bytes;
      }
    }
  }

  #positionOf(byte: number): number {
    return (((this.frames.addresses.length - 1) << POSITION_FRAME_SHIFT) | byte) >>> 0;
  }
}

function sizes(): readonly number[] {
  const bytes = [16, 24];
  for (let base = 32; base < FRAME_BYTES; base *= 2)
    bytes.push(...(base === 32 ? [32, 40, 48, 56] : [base, base * 1.25, base * 1.5, base * 1.75]));
  return [...bytes, FRAME_BYTES];
}
