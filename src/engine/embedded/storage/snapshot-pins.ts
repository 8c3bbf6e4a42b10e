// Copies that still read rows hold them back from reuse. Each is one word of shared memory: whoever ends the hold writes why.
//
// The copying thread looks at the word after each read and before it uses what it read, so no message can come too late.

export const PinState = { held: 0, released: 1, overtaken: 2, gone: 3, interrupted: 4 } as const;
export type PinStateValue = (typeof PinState)[keyof typeof PinState];

/** Space that copies may keep from being used again, however small the index. */
const PINNED_BYTES_MAX = 2 ** 30;

export type SnapshotPin = Int32Array<SharedArrayBuffer>;

export function newPin(): SnapshotPin {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function pinState(word: SnapshotPin): number {
  return Atomics.load(word, 0);
}

/** The first reason stands. */
export function endPin(word: SnapshotPin, state: PinStateValue): void {
  Atomics.compareExchange(word, 0, PinState.held, state);
}

interface Held {
  readonly word: SnapshotPin;
  readonly seq: number;
  readonly rowsMax: number;
  rows: number;
}

/** Those of one index, in its writer's thread. */
export class SnapshotPins {
  #holds: Held[] = [];

  /**
   * Keeps rows that are freed by writes after `seq`.
   * @param use what the index takes now: a copy may at most double it
   */
  add(word: SnapshotPin, seq: number, use: { readonly records: number; readonly rowBytes: number }): void {
    const rowBytes = Math.max(1, use.rowBytes);
    const rowsMax = Math.max(PINNED_BYTES_MAX / rowBytes, use.records);
    this.#holds.push({ word, seq, rowsMax, rows: 0 });
  }

  /** Rows freed by writes up to this number are not held; Infinity without holds. */
  reusableSeq(): number {
    this.#holds = this.#holds.filter(({ word }) => pinState(word) === PinState.held);
    return this.#holds.reduce((least, { seq }) => Math.min(least, seq), Number.POSITIVE_INFINITY);
  }

  /** After a commit that freed so many rows. Ends holds that keep too many. */
  note(rowsFreed: number): void {
    for (const hold of this.#holds) {
      hold.rows += rowsFreed;
      if (hold.rows > hold.rowsMax) endPin(hold.word, PinState.overtaken);
    }
  }

  /** The index is being closed. */
  endAll(): void {
    for (const { word } of this.#holds) endPin(word, PinState.gone);
    this.#holds = [];
  }
}
