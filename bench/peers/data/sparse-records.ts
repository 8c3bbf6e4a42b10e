// Sparse records as learned term weights give them: common terms are common, weights fall off; the same on every machine.
import type { SparseVector } from '../../../src/domain/records/record.ts';
import { Random } from '../../../src/vectors/embedded/kernels/hard-vectors.ts';

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

/** The `k` best inner products of all records, computed plainly over lists by term. */
export class ExactSparse {
  readonly #lists = new Map<number, { readonly record: number; readonly value: number }[]>();
  #count = 0;

  add({ indices, values }: SparseVector): void {
    for (const [at, term] of indices.entries()) {
      const list = this.#lists.get(term) ?? [];
      list.push({ record: this.#count, value: values[at] ?? 0 });
      this.#lists.set(term, list);
    }
    this.#count++;
  }

  best({ indices, values }: SparseVector, k: number): readonly number[] {
    const scores = new Float64Array(this.#count);
    for (const [at, term] of indices.entries())
      for (const { record, value } of this.#lists.get(term) ?? [])
        scores[record] = (scores[record] ?? 0) + value * (values[at] ?? 0);
    return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, k);
  }
}
