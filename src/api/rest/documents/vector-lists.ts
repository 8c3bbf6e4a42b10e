// The vectors that the main thread has made of texts, as an engine thread takes them from a packed body.
import type { SparseVector } from '../../../app/records/record-access.ts';
import { floatsOf } from '../../../domain/embedding/engine-body.ts';
import { flushDenormals } from '../../../domain/records/dense-vector.ts';

/** Lists in the order in which they were packed: first the count of tokens, alone in a list, then the vectors. */
export class VectorLists {
  /** Tokens that the models counted; null when no text was embedded. */
  readonly tokens: number | null;
  readonly #lists: Iterator<Uint32Array<ArrayBuffer>>;

  constructor(lists: readonly Uint32Array<ArrayBuffer>[]) {
    this.#lists = lists.values();
    this.tokens = lists.length === 0 ? null : (this.#next()[0] ?? 0);
  }

  takeDense(): Float32Array {
    return flushDenormals(floatsOf(this.#next()));
  }

  /** Without entries for a text without words. */
  takeSparse(): SparseVector {
    return { indices: this.#next(), values: flushDenormals(floatsOf(this.#next())) };
  }

  #next(): Uint32Array<ArrayBuffer> {
    const { value, done } = this.#lists.next();
    if (done === true) throw new RangeError('an engine body lacks the vector of a text');
    return value;
  }
}
