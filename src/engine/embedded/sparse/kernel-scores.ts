// Exact scores of sparse vectors, which the kernel computes from the forward index.
import { layOutPostingLists, type PostingListLayout, SCORED_BYTES } from './layout.ts';
import { floatOf, type PostingListQuery } from './posting-list-search.ts';
import type { ExactScores, PostingListSource, ScoreSink } from './posting-list-source.ts';
import { roundedScore } from './rounded-score.ts';

export class KernelScores implements ExactScores {
  readonly #source: PostingListSource;
  readonly #query: PostingListQuery;
  readonly #layout: PostingListLayout;

  /** The search of the same query prepares the kernel. */
  constructor(source: PostingListSource, query: PostingListQuery) {
    this.#source = source;
    this.#query = query;
    this.#layout = layOutPostingLists(query.scratch, { terms: query.sparse.indices.length, capacity: 0 });
  }

  scoreOf(slot: number): number {
    const entry = this.#source.entryOf(slot);
    if (entry === 0) return Number.NaN;
    return roundedScore(this.#query.kernel.postings.scoreEntry(this.#layout.query, entry));
  }

  scoreUnindexed(least: () => number, sink: Pick<ScoreSink, 'offer'>): void {
    const { kernel, slotCount: slotLimit, bitmap } = this.#query;
    const { query, found } = this.#layout;
    this.#source.visitUnindexed((entry) => {
      const count = kernel.postings.scoreEntries({ query, entry, slotLimit, bitmap, least: least() }, found);
      const words = this.#source.words(found + count * SCORED_BYTES);
      for (let i = 0; i < count; i++) {
        const at = (found + i * SCORED_BYTES) / 4;
        const slot = words[at] ?? 0;
        const score = floatOf(words[at + 1] ?? 0);
        sink.offer(Number.isFinite(score) ? score : this.scoreOf(slot), slot);
      }
    });
  }
}
