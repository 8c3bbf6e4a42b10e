// The ranking of assistants over all passages of a set, and stemmed BM25 beside it.
import { rankCandidates } from '../../src/app/assistants/retrieval/rank-candidates.ts';
import { comparedQuestion, comparedTerms } from '../../src/app/assistants/terms/word-forms.ts';
import { analyzerOf } from '../../src/domain/full-text/analysis/analyzer.ts';
import { type Ranker, sparseRanker } from './rankers.ts';
import { TermIndex } from './term-index.ts';

export type AsyncRanker = (query: string) => Promise<Float64Array>;

/** As in the retriever. */
const CANDIDATES = 40;
const TERMS_ALONE_MAX = 12;
const CANDIDATES_A_TERM = 8;
const ABSENT_FACTOR = 1.2;
/** More than any share of a query. */
const TEXTS_FIRST = 1_000;

/** The text engine's BM25 over English stems without its stop words. */
export function stemmedRanker(passages: readonly string[]): Ranker {
  const analyzer = analyzerOf({ language: 'en', stemming: true, stopWords: true, ngram: null });
  const termsOf = (text: string): readonly string[] => analyzer.tokens(text).map(({ term }) => term);
  const index = new TermIndex(passages.map(termsOf));
  return (query) => unfoundLast(index.scores(new Set(termsOf(query))));
}

/** Text search of an index with the built-in sparse model: stemmed BM25, then what only the vectors find. */
export function integratedRanker(passages: readonly string[]): Ranker {
  const [texts, vectors] = [stemmedRanker(passages), sparseRanker(passages, 'expanded words')];
  return (query) => {
    const behind = vectors(query);
    return texts(query).map((score, at) => (score > 0 ? TEXTS_FIRST + score : (behind[at] ?? 0)));
  };
}

/** The terms of assistants alone: questions lose the words that ask. */
export function termsRanker(passages: readonly string[]): Ranker {
  const index = new TermIndex(passages.map(comparedTerms));
  return (query) => unfoundLast(index.scores(comparedQuestion(query)));
}

/**
 * What assistants do with a question: the best passages by meaning, by all terms and by each term alone, ranked together.
 * @param byMeaning similarities of all passages
 */
export function assistantRanker(
  passages: readonly string[],
  byMeaning: Ranker | AsyncRanker,
  by: 'built-in' | 'model' = 'built-in',
): AsyncRanker {
  const index = new TermIndex(passages.map(comparedTerms));
  return async (query) => {
    const terms = [...comparedQuestion(query)];
    const near = await byMeaning(query);
    const alike = index.scores(terms);
    const alone = new Set<number>();
    for (const term of terms.slice(0, TERMS_ALONE_MAX)) {
      const scores = index.scores([term]);
      for (const at of bestOf(scores, CANDIDATES_A_TERM)) {
        if ((scores[at] ?? 0) > 0) alone.add(at);
      }
    }
    const meaning = new Set(bestOf(near, CANDIDATES));
    const words = bestOf(alike, CANDIDATES).filter((at) => (alike[at] ?? 0) > 0);
    const found = [...new Set([...meaning, ...words, ...alone])];
    const candidates = found.map((at) => ({
      text: passages[at] ?? '',
      meaning: meaning.has(at) ? (near[at] ?? 0) : null,
    }));
    const ranked = await rankCandidates(query, candidates, { by, weights: weightsOf(terms, index) });
    const scores = new Float64Array(passages.length).fill(-Infinity);
    for (const [i, at] of found.entries()) scores[at] = ranked[i] ?? 0;
    return scores;
  };
}

function weightsOf(terms: readonly string[], index: TermIndex): ReadonlyMap<string, number> {
  const most = Math.max(0, ...terms.map((term) => index.rarity(term)));
  return new Map(terms.map((term) => [term, index.rarity(term) || most * ABSENT_FACTOR]));
}

function bestOf(scores: Float64Array, count: number): readonly number[] {
  return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, count);
}

function unfoundLast(scores: Float64Array): Float64Array {
  return scores.map((score) => (score > 0 ? score : -Infinity));
}
