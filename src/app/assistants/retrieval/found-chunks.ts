// Collects what the searches for one question have found, by chunk, and what its terms weigh.
import type { ChunkHit } from '../chunks/chunk-store.ts';
import { termList } from '../terms/analyze.ts';
import { formsOf } from '../terms/word-forms.ts';
import { bm25Saturation, type TermWeights } from './shared-features.ts';

export interface FoundScores {
  readonly id: string;
  /** Null for what the search by meaning did not return. */
  readonly meaning: number | null;
}

/** A term that no text has weighs this much more than the rarest that some text has. */
const ABSENT_FACTOR = 1.2;

export class FoundChunks {
  readonly #meaning = new Map<string, number>();
  /** What searches by words returned. */
  readonly #words = new Set<string>();
  readonly #best = new Map<string, ChunkHit | null>();

  addMeaning(hits: readonly ChunkHit[]): void {
    for (const { id, score } of hits) this.#meaning.set(id, score);
  }

  addWords(hits: readonly ChunkHit[]): void {
    for (const { id } of hits) this.#words.add(id);
  }

  /** What was found for one term alone. */
  addTerm(term: string, hits: readonly ChunkHit[]): void {
    this.addWords(hits);
    const [best = null] = hits;
    const known = this.#best.get(term) ?? null;
    this.#best.set(term, best === null || (known !== null && known.score > best.score) ? known : best);
  }

  get ids(): readonly string[] {
    return [...new Set([...this.#meaning.keys(), ...this.#words])];
  }

  scores(): readonly FoundScores[] {
    return this.ids.map((id) => ({ id, meaning: this.#meaning.get(id) ?? null }));
  }

  /**
   * The rarity of each term in all texts: its best score alone, without what it owes to the text that has it and
   * to the number of its forms there.
   * @param textOf the text of a chunk that was found
   * @param bridges terms that need not be in any text: they weigh nothing if none has them
   */
  weights(textOf: (id: string) => string | undefined, bridges: ReadonlySet<string>): TermWeights {
    const lengths = this.ids.map((id) => termList(textOf(id) ?? '').length);
    const lengthMean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1;
    const known = Array.from(this.#best, ([term, hit]): readonly [string, number] => {
      if (hit === null) return [term, 0];
      const terms = termList(textOf(hit.id) ?? '');
      const counts = formsOf(term).map((form) => terms.filter((each) => each === form).length);
      const owed = counts.map((count) => bm25Saturation(count, terms.length / lengthMean));
      const least = bm25Saturation(1, terms.length / lengthMean);
      return [
        term,
        hit.score /
          Math.max(
            least,
            owed.reduce((sum, each) => sum + each, 0),
          ),
      ];
    });
    const most = Math.max(0, ...known.map(([, weight]) => weight));
    const absent = (term: string): number => (bridges.has(term) ? 0 : most * ABSENT_FACTOR);
    return new Map(known.map(([term, weight]) => [term, weight > 0 ? weight : absent(term)]));
  }
}
