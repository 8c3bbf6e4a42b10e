// Copies that still read rows hold them back from reuse. Each is one word of shared memory: whoever ends the hold writes why.
//
// The copying thread looks at the word after each read and before it uses what it read, so no message can come too late.

export const Hold = { held: 0, released: 1, overtaken: 2, gone: 3, interrupted: 4 } as const;
export type HoldState = (typeof Hold)[keyof typeof Hold];

/** Space that copies may keep from being used again, however small the index. */
const HELD_BYTES_MAX = 2 ** 30;

export type HoldWord = Int32Array<SharedArrayBuffer>;

export function newHold(): HoldWord {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function holdState(word: HoldWord): number {
  return Atomics.load(word, 0);
}

/** The first reason stands. */
export function endHold(word: HoldWord, state: HoldState): void {
  Atomics.compareExchange(word, 0, Hold.held, state);
}

interface Held {
  readonly word: HoldWord;
  readonly seq: number;
  readonly rowsMax: number;
  rows: number;
}

/** Those of one index, in its writer's thread. */
export class RowHolds {
  #holds: Held[] = [];

  /**
   * Keeps rows that are freed by writes after `seq`.
   * @param use what the index takes now: a copy may at most double it
   */
  add(word: HoldWord, seq: number, use: { readonly records: number; readonly rowBytes: number }): void {
    const rowBytes = Math.max(1, use.rowBytes);
    const rowsMax = Math.max(HELD_BYTES_MAX / rowBytes, use.records);
    this.#holds.push({ word, seq, rowsMax, rows: 0 });
  }

  /** Rows freed by writes up to this number are not held; Infinity without holds. */
  reusableSeq(): number {
    this.#holds = this.#holds.filter(({ word }) => holdState(word) === Hold.held);
    return this.#holds.reduce((least, { seq }) => Math.min(least, seq), Number.POSITIVE_INFINITY);
  }

  /** After a commit that freed so many rows. Ends holds that keep too many. */
  note(rowsFreed: number): void {
    for (const hold of this.#holds) {
      hold.rows += rowsFreed;
      if (hold.rows > hold.rowsMax) endHold(hold.word, Hold.overtaken);
    }
  }

  /** The index is being closed. */
  endAll(): void {
    for (const { word } of this.#holds) endHold(word, Hold.gone);
    this.#holds = [];
  }
}
