// The exact scores of a test's records, in double precision over plain arrays: fast enough for thousands of queries.
import type { Metric } from '../../../../domain/index-model.ts';

export class ExactScores {
  readonly #metric: Metric;
  readonly #dimension: number;
  readonly #values: Float32Array;
  readonly #scores: Float64Array;

  constructor(metric: Metric, dimension: number, recordsMax: number) {
    this.#metric = metric;
    this.#dimension = dimension;
    this.#values = new Float32Array(recordsMax * dimension);
    this.#scores = new Float64Array(recordsMax);
  }

  set(record: number, values: Float32Array): void {
    this.#values.set(values, record * this.#dimension);
  }

  /** The scores of all records, higher for better (euclidean: negative); overwritten by the next call. */
  of(query: Float32Array): Float64Array {
    const queryNorm = Math.sqrt(this.#dot(query, query, 0));
    for (let record = 0; record < this.#scores.length; record++) {
      const at = record * this.#dimension;
      this.#scores[record] = this.#score(query, at, queryNorm);
    }
    return this.#scores;
  }

  #score(query: Float32Array, at: number, queryNorm: number): number {
    if (this.#metric === 'euclidean') return -this.#squaredDistance(query, at);
    const product = this.#dot(query, this.#values, at);
    if (this.#metric === 'dotproduct') return product;
    const norms = queryNorm * this.#norm(at);
    return norms === 0 ? 0 : product / norms;
  }

  #dot(query: Float32Array, values: Float32Array, at: number): number {
    let sum = 0;
    for (let i = 0; i < this.#dimension; i++) sum += (query[i] ?? 0) * (values[at + i] ?? 0);
    return sum;
  }

  #norm(at: number): number {
    let sum = 0;
    for (let i = at; i < at + this.#dimension; i++) sum += (this.#values[i] ?? 0) ** 2;
    return Math.sqrt(sum);
  }

  #squaredDistance(query: Float32Array, at: number): number {
    let sum = 0;
    for (let i = 0; i < this.#dimension; i++) sum += ((query[i] ?? 0) - (this.#values[at + i] ?? 0)) ** 2;
    return sum;
  }
}

/** The top scores of matching records, highest first, at most `count`. */
export function bestScores(
  scores: Float64Array,
  isWanted: (record: number) => boolean,
  count: number,
): readonly number[] {
  const best: number[] = [];
  for (let record = 0; record < scores.length; record++) {
    const score = scores[record] ?? 0;
    const isFull = best.length === count;
    if ((isFull && score <= (best.at(-1) ?? 0)) || !isWanted(record)) continue;
    if (isFull) best.pop();
    best.splice(placeOf(best, score), 0, score);
  }
  return best;
}

function placeOf(best: readonly number[], score: number): number {
  let low = 0;
  for (let high = best.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((best[middle] ?? 0) >= score) low = middle + 1;
    else high = middle;
  }
  return low;
}
