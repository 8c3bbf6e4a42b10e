// How much of a question's telling terms a text has, by weight: the rarer a term among the texts found, the more it tells.
import type { TermWeights } from '../../retrieval/shared-features.ts';
import { type QuestionFeatures, questionFeatures } from '../../terms/compounds.ts';

/** A word of the same first letters and length is taken for another form of it, for less. */
const FORM_SHARE = 0.7;
const FORM_CHARACTERS_MIN = 5;
/** What terms of the questions before weigh, which only tell the subject. */
const SUBJECT_SHARE = 0.5;
const ALPHABETIC = /^\p{L}+$/u;

export class QuestionCover {
  readonly #features: QuestionFeatures;
  readonly #weights: ReadonlyMap<string, number>;
  readonly #whole: number;

  /**
   * @param question with those before it that tell its subject; `own`: without them
   * @param texts all texts found, among which terms are rare or not
   * @param weights of terms whose rarity in all files is known
   */
  constructor(
    { question, own = question }: { readonly question: string; readonly own?: string | undefined },
    texts: readonly string[],
    weights: TermWeights = new Map(),
  ) {
    this.#features = questionFeatures(question);
    const { all: terms, in: featuresIn } = this.#features;
    const { all: asked } = questionFeatures(own);
    const holders = new Map<string, number>();
    for (const text of texts) {
      for (const term of new Set(featuresIn(text))) {
        if (terms.has(term)) holders.set(term, (holders.get(term) ?? 0) + 1);
      }
    }
    this.#weights = new Map(
      Array.from(terms, (term) => {
        const count = holders.get(term) ?? 0;
        const rarity = Math.log(1 + (texts.length - count + 0.5) / (count + 0.5));
        return [term, (weights.get(term) ?? rarity) * (asked.has(term) ? 1 : SUBJECT_SHARE)];
      }),
    );
    this.#whole = [...this.#weights.values()].reduce((sum, weight) => sum + weight, 0);
  }

  /** What a text has beside the question's most telling term alone: 0 to 1. */
  main(text: string): number {
    const heaviest = Math.max(0, ...this.#weights.values());
    return heaviest === 0 ? 0 : Math.min(1, (this.of(text) * this.#whole) / heaviest);
  }

  /** 0 to 1; 0 for a question without terms. */
  of(text: string): number {
    if (this.#whole === 0) return 0;
    const terms = new Set(this.#features.in(text));
    const stems = new Set(Array.from(terms, beginningOf));
    let held = 0;
    for (const [term, weight] of this.#weights) {
      if (terms.has(term)) held += weight;
      else if (term.length >= FORM_CHARACTERS_MIN && stems.has(beginningOf(term)))
        held += weight * FORM_SHARE;
    }
    return held / this.#whole;
  }
}

function beginningOf(term: string): string {
  return ALPHABETIC.test(term) ? term.slice(0, FORM_CHARACTERS_MIN) : term;
}
