// Epoch-based reclamation of rows: a row that a write freed is reused once no reader can still look at it.
import type { Epochs } from '../memory/epochs.ts';

/** Remembered pairs of sequence number and epoch; older ones merge into the next. */
const RETIRED_SEQS_MAX = 1_024;

export class RowReclaimer {
  readonly #epochs: Epochs;
  readonly #retired: { readonly seq: number; readonly epoch: number }[] = [];
  #reusableSeq: number;

  /** @param seq number of the last write when the index was opened: no reader of this process looks at earlier rows */
  constructor(epochs: Epochs, seq: number) {
    this.#epochs = epochs;
    this.#reusableSeq = seq;
  }

  /** Rows that writes up to this number freed are seen by no reader. */
  reusableSeq(): number {
    const oldest = this.#epochs.oldestPinnedOrHeld();
    while (this.#retired[0] !== undefined && this.#retired[0].epoch <= oldest) {
      this.#reusableSeq = this.#retired[0].seq;
      this.#retired.shift();
    }
    return this.#reusableSeq;
  }

  /** Call when readers see the write of this number, which freed rows. */
  retire(seq: number): void {
    const epoch = this.#epochs.advance();
    if (this.#retired.length === RETIRED_SEQS_MAX) this.#retired.pop();
    this.#retired.push({ seq, epoch });
  }
}
