// The bytes of a file on a disk that may lose power: those that are durable, and changes that are not yet.
import type { Random } from '../support/random.ts';
import type { Change } from './recording.ts';

/**
 * What is left of changes that are not durable: none, all, the first ones of each file, or any parts of them; parts are
 * pages or sectors. With `zeros`, a file has its new length, but zeros for lost bytes.
 */
export const SURVIVALS = ['nothing', 'everything', 'first', 'pages', 'sectors', 'zeros'] as const;
export type Survival = (typeof SURVIVALS)[number];

const PAGE_BYTES = 4_096;
const SECTOR_BYTES = 512;

interface Pending {
  readonly number: number;
  /** Null for a truncation. */
  readonly bytes: Buffer | null;
  readonly offset: number;
  /** Of the file after a truncation. */
  readonly length: number;
}

export class LossyFile {
  readonly #durable = new Bytes();
  #pending: Pending[] = [];

  change({ operation, bytes, offset, length, isDurable }: Change, number: number): void {
    const change = { number, bytes: operation === 'write' ? bytes : null, offset: Number(offset), length };
    if (isDurable) applyTo(this.#durable, change);
    else this.#pending.push(change);
  }

  /** Changes with smaller numbers are durable from now on. */
  sync(before: number): void {
    for (const change of this.#pending) if (change.number < before) applyTo(this.#durable, change);
    this.#pending = this.#pending.filter(({ number }) => number >= before);
  }

  current(): Uint8Array {
    return this.surviving('everything', null);
  }

  /** @param random may be null for `everything` */
  surviving(survival: Survival, random: Random | null): Uint8Array {
    const bytes = this.#durable.copy();
    const below = (end: number) => random?.below(end) ?? 0;
    const first = survival === 'first' ? below(this.#pending.length + 1) : this.#pending.length;
    const part = survival === 'sectors' ? SECTOR_BYTES : PAGE_BYTES;
    if (survival === 'nothing') return bytes.view();
    for (const change of this.#pending.slice(0, first)) {
      if (survival === 'everything' || survival === 'first') applyTo(bytes, change);
      else if (change.bytes === null) {
        if (below(2) === 0) applyTo(bytes, change);
      } else {
        if (survival === 'zeros') bytes.extend(change.offset + change.bytes.length);
        for (const piece of piecesOf(change.bytes, change.offset, part))
          if (below(2) === 0) bytes.set(piece.bytes, piece.offset);
      }
    }
    return bytes.view();
  }
}

/** Parts of a write that lie in different pages or sectors of the file. */
function* piecesOf(bytes: Buffer, offset: number, part: number) {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + part - ((offset + at) % part));
    yield { bytes: bytes.subarray(at, end), offset: offset + at };
    at = end;
  }
}

function applyTo(bytes: Bytes, { bytes: written, offset, length }: Pending): void {
  if (written === null) bytes.resize(length);
  else bytes.set(written, offset);
}

/** Bytes that grow. */
class Bytes {
  #bytes = Buffer.alloc(0);
  #length = 0;

  set(bytes: Uint8Array, offset: number): void {
    this.extend(offset + bytes.length);
    this.#bytes.set(bytes, offset);
  }

  extend(length: number): void {
    if (length > this.#length) this.resize(length);
  }

  resize(length: number): void {
    if (length > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    if (length < this.#length) this.#bytes.fill(0, length, this.#length);
    this.#length = length;
  }

  copy(): Bytes {
    const copied = new Bytes();
    copied.set(this.view(), 0);
    copied.resize(this.#length);
    return copied;
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}
