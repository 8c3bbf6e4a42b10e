// Pins that keep rows from being reused while copies read them. A pin is one word of shared memory: who ends it writes
// the reason there.
//
// A copying thread checks the word after each read, before it uses what it read, so that no message can come too late.

export const PinState = { held: 0, released: 1, overtaken: 2, gone: 3, interrupted: 4 } as const;
export type PinStateValue = (typeof PinState)[keyof typeof PinState];

/** Bytes of rows that a pin may keep from being reused, however small the index. */
const PINNED_BYTES_MAX = 2 ** 30;

export type SnapshotPin = Int32Array<SharedArrayBuffer>;

export function newPin(): SnapshotPin {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function pinState(word: SnapshotPin): number {
  return Atomics.load(word, 0);
}

/** Ends a pin; the first reason is kept. */
export function endPin(word: SnapshotPin, state: PinStateValue): void {
  Atomics.compareExchange(word, 0, PinState.held, state);
}

interface Pinned {
  readonly word: SnapshotPin;
  readonly seq: number;
  readonly rowsMax: number;
  rows: number;
}

/** The pins of one index, in its writer's thread. */
export class SnapshotPins {
  #pins: Pinned[] = [];

  /**
   * Adds a pin that keeps rows freed by writes after `seq`.
   * @param use current size of the index, which a pin may at most double
   */
  add(word: SnapshotPin, seq: number, use: { readonly records: number; readonly rowBytes: number }): void {
    const rowBytes = Math.max(1, use.rowBytes);
    const rowsMax = Math.max(PINNED_BYTES_MAX / rowBytes, use.records);
    this.#pins.push({ word, seq, rowsMax, rows: 0 });
  }

  /** Rows freed by writes up to this number are not pinned; Infinity without pins. */
  reusableSeq(): number {
    this.#pins = this.#pins.filter(({ word }) => pinState(word) === PinState.held);
    return this.#pins.reduce((least, { seq }) => Math.min(least, seq), Number.POSITIVE_INFINITY);
  }

  /** True while a copy reads rows. */
  get isHeld(): boolean {
    return this.reusableSeq() !== Number.POSITIVE_INFINITY;
  }

  /** Call after a commit that freed so many rows. Ends pins that keep too many. */
  note(rowsFreed: number): void {
    for (const pin of this.#pins) {
      pin.rows += rowsFreed;
      if (pin.rows > pin.rowsMax) endPin(pin.word, PinState.overtaken);
    }
  }

  /** Call when the index closes. @param state why; default because it is gone */
  endAll(state: PinStateValue = PinState.gone): void {
    for (const { word } of this.#pins) endPin(word, state);
    this.#pins = [];
  }
}
