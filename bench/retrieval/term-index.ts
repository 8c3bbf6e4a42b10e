// Stemmed BM25 in memory: what rankings by words and meaning must beat, and what they find passages by.

/** As the text engine has them. */
const K1 = 1.2;
const B = 0.75;

interface Posting {
  readonly passage: number;
  readonly count: number;
}

export class TermIndex {
  readonly #lists = new Map<string, Posting[]>();
  readonly #lengths: number[] = [];
  readonly #lengthMean: number;

  /** @param passages the terms of each */
  constructor(passages: readonly (readonly string[])[]) {
    for (const [passage, terms] of passages.entries()) {
      this.#lengths.push(terms.length);
      for (const [term, count] of counted(terms)) {
        const list = this.#lists.get(term) ?? [];
        list.push({ passage, count });
        this.#lists.set(term, list);
      }
    }
    this.#lengthMean = this.#lengths.reduce((sum, length) => sum + length, 0) / passages.length;
  }

  rarity(term: string): number {
    const holders = this.#lists.get(term)?.length ?? 0;
    return holders === 0 ? 0 : Math.log(1 + (this.#lengths.length - holders + 0.5) / (holders + 0.5));
  }

  /** Scores of all passages, in their order; 0 for those without any of the terms. */
  scores(terms: Iterable<string>): Float64Array {
    const scores = new Float64Array(this.#lengths.length);
    for (const term of terms) {
      const rarity = this.rarity(term);
      for (const { passage, count } of this.#lists.get(term) ?? []) {
        const length = (this.#lengths[passage] ?? 0) / this.#lengthMean;
        scores[passage] =
          (scores[passage] ?? 0) + (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
      }
    }
    return scores;
  }
}

function counted(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
