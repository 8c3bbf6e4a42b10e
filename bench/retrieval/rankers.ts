// Ways to score all passages of a set for a query: the built-in encoders, alone and together, and a library's BM25.
import MiniSearch from 'minisearch';
import {
  encodeDense,
  encodeSparse,
  expandQuery,
  relevance,
  type SparseEncoding,
  type SparseForm,
} from '../../src/inference/builtin/encoders.ts';

/** Scores of all passages, in their order. */
export type Ranker = (query: string) => Float64Array;

/** Passages given to the reranker. */
const RERANKED = 100;

/** MiniSearch as it comes: its words, its BM25+, any of the query's words. */
export function libraryRanker(passages: readonly string[]): Ranker {
  const search = new MiniSearch<{ readonly id: number; readonly text: string }>({ fields: ['text'] });
  search.addAll(passages.map((text, id) => ({ id, text })));
  return (query) => {
    const scores = new Float64Array(passages.length).fill(-Infinity);
    for (const { id, score } of search.search(query)) scores[id] = score;
    return scores;
  };
}

/** Inner products of dense vectors. */
export function denseRanker(passages: readonly string[], dimension: number): Ranker {
  const vectors = encodeDense(passages, { dimension, inputType: 'passage' });
  return (query) => {
    const [wanted = new Float32Array()] = encodeDense([query], { dimension, inputType: 'query' });
    return Float64Array.from(vectors, (vector) => innerProduct(vector, wanted));
  };
}

/**
 * Inner products of sparse vectors, as the share of what a passage that says just the query would get:
 * 0 for nothing in common, around 1 for all of it. The ranking is that of the plain products.
 */
export function sparseRanker(passages: readonly string[], form: SparseForm | 'expanded words'): Ranker {
  if (form === 'expanded words') return listRanker(passages, 'words', expandQuery);
  return listRanker(passages, form, (query) => encodeSparse(query, { inputType: 'query', form }));
}

type QueryEncoder = (query: string) => Pick<SparseEncoding, 'indices' | 'values'>;

function listRanker(passages: readonly string[], form: SparseForm, encode: QueryEncoder): Ranker {
  const lists = new Map<number, { readonly passage: number; readonly value: number }[]>();
  for (const [passage, text] of passages.entries()) {
    const { indices, values } = encodeSparse(text, { inputType: 'passage', form });
    for (const [i, index] of indices.entries()) {
      const list = lists.get(index) ?? [];
      list.push({ passage, value: values[i] ?? 0 });
      lists.set(index, list);
    }
  }
  return (query) => {
    const scores = new Float64Array(passages.length);
    const { indices, values } = encode(query);
    for (const [i, index] of indices.entries())
      for (const { passage, value } of lists.get(index) ?? [])
        scores[passage] = (scores[passage] ?? 0) + value * (values[i] ?? 0);
    const whole = encodeSparse(query, { inputType: 'passage', form }).values.reduce((a, b) => a + b, 0);
    return whole === 0 ? scores : scores.map((score) => score / whole);
  };
}

/** What sharing all of the query's words weighs beside a dense similarity of 1. */
const SHARE_WEIGHT = 2;
const SHARE_POWER = 3.5;

/**
 * Dense similarity + SHARE_WEIGHT * (sparse share)^SHARE_POWER. The power makes the few words that any two texts have in common count for nothing,
 * and most of the query's words for much.
 */
export function hybridRanker(dense: Ranker, sparse: Ranker): Ranker {
  return (query) => {
    const shares = sparse(query);
    return dense(query).map((similarity, i) => similarity + SHARE_WEIGHT * (shares[i] ?? 0) ** SHARE_POWER);
  };
}

/** The best passages of another ranker in the order of the built-in reranker; the others are not scored. */
export function reranked(first: Ranker, passages: readonly string[]): Ranker {
  return (query) => byRelevance(query, bestOf(first(query), RERANKED), passages);
}

/** The same of the best of two rankers, half of each: what a client does that searches two indexes. */
export function rerankedBoth(one: Ranker, other: Ranker, passages: readonly string[]): Ranker {
  return (query) => {
    const best = [one, other].flatMap((ranker) => bestOf(ranker(query), RERANKED / 2));
    return byRelevance(query, [...new Set(best)], passages);
  };
}

function bestOf(scores: Float64Array, count: number): readonly number[] {
  return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, count);
}

function byRelevance(query: string, best: readonly number[], passages: readonly string[]): Float64Array {
  const after = relevance(
    query,
    best.map((at) => passages[at] ?? ''),
  );
  const scores = new Float64Array(passages.length).fill(-Infinity);
  for (const [i, at] of best.entries()) scores[at] = after[i] ?? 0;
  return scores;
}

function innerProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
