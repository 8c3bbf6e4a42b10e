// Sparse records as learned term weights give them: common terms are common, weights fall off; the same on every machine.
import type { SparseVector } from '../../../src/domain/records/record.ts';
import { Random } from '../../../src/engine/embedded/kernels/testing/hard-vectors.ts';

const VOCABULARY = 30_000;
/** Bends uniform numbers so that few terms are in very many records. */
const SKEW = 3;

/** One record a call: `terms` different terms. */
export function sparseRecords(seed: number, terms: number): () => SparseVector {
  const random = new Random(seed);
  return () => {
    const chosen = new Map<number, number>();
    while (chosen.size < terms) {
      const term = Math.floor(random.uniform() ** SKEW * VOCABULARY);
      if (!chosen.has(term)) chosen.set(term, Math.fround(Math.abs(random.normal()) + 0.05));
    }
    const sorted = [...chosen].sort(([a], [b]) => a - b);
    return {
      indices: Uint32Array.from(sorted, ([term]) => term),
      values: Float32Array.from(sorted, ([, value]) => value),
    };
  };
}

/** The records with the best inner products for some queries, computed plainly as the records come. */
export class ExactSparse {
  readonly #k: number;
  /** Weights by term. */
  readonly #weights: readonly Float64Array[];
  /** Best first. */
  readonly #best: readonly { readonly record: number; readonly score: number }[][];
  #count = 0;

  constructor(queries: readonly SparseVector[], k: number) {
    this.#k = k;
    this.#weights = queries.map(({ indices, values }) => {
      const weights = new Float64Array(VOCABULARY);
      indices.forEach((term, at) => {
        weights[term] = values[at] ?? 0;
      });
      return weights;
    });
    this.#best = queries.map(() => []);
  }

  add({ indices, values }: SparseVector): void {
    const record = this.#count++;
    for (const [query, weights] of this.#weights.entries()) {
      let score = 0;
      for (let at = 0; at < indices.length; at++)
        score += (weights[indices[at] ?? 0] ?? 0) * (values[at] ?? 0);
      this.#keep(this.#best[query] ?? [], { record, score });
    }
  }

  /** The `k` best records for a query, best first. */
  best(query: number): readonly number[] {
    return (this.#best[query] ?? []).map(({ record }) => record);
  }

  #keep(
    best: { readonly record: number; readonly score: number }[],
    found: { readonly record: number; readonly score: number },
  ): void {
    if (best.length === this.#k && found.score <= (best.at(-1)?.score ?? 0)) return;
    const at = best.findIndex(({ score }) => score < found.score);
    best.splice(at < 0 ? best.length : at, 0, found);
    if (best.length > this.#k) best.pop();
  }
}
