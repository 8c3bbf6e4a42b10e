// Maximal marginal relevance (Carbonell and Goldstein, 1998): matches that are relevant and unlike each other.
import type { Metric } from '../../domain/metric.ts';
import type { Match } from './record-access.ts';

export interface Diversity {
  /** 0: relevance alone; 1: difference alone, after the top match. */
  readonly weight: number;
  /** Matches to choose from. */
  readonly candidates: number;
}

/**
 * Chooses `topK` of the candidates one by one: each time the one with the highest
 * `(1 - weight) * relevance - weight * similarity`, where similarity is that to the most similar match chosen before. Both
 * are by the metric: cosines, inner products or negative squared distances. Of equals, the better candidate wins.
 * Scores stay as they are. @param candidates with their values, best first
 */
export function diversify(
  candidates: readonly Match[],
  { topK, weight, metric }: { readonly topK: number; readonly weight: number; readonly metric: Metric },
): readonly Match[] {
  const similarity = similarityBy(metric);
  const left = candidates.map((match) => ({
    match,
    relevance: metric === 'euclidean' ? -match.score : match.score,
    nearest: Number.NEGATIVE_INFINITY,
  }));
  const chosen: Match[] = [];
  while (chosen.length < topK && left.length > 0) {
    let best = 0;
    if (chosen.length > 0) {
      const worthOf = (at: number): number => {
        const candidate = left[at];
        if (candidate === undefined) return Number.NEGATIVE_INFINITY;
        return (1 - weight) * candidate.relevance - weight * candidate.nearest;
      };
      let worth = worthOf(0);
      for (let at = 1; at < left.length; at++) {
        const other = worthOf(at);
        if (other > worth) [best, worth] = [at, other];
      }
    }
    const [next] = left.splice(best, 1);
    if (next === undefined) break;
    chosen.push(next.match);
    for (const candidate of left) {
      candidate.nearest = Math.max(candidate.nearest, similarity(candidate.match, next.match));
    }
  }
  return chosen;
}

type Similarity = (a: Match, b: Match) => number;

function similarityBy(metric: Metric): Similarity {
  if (metric === 'euclidean') return (a, b) => -squaredDistance(valuesOf(a), valuesOf(b));
  if (metric === 'dotproduct') return (a, b) => dot(valuesOf(a), valuesOf(b));
  const norms = new Map<Match, number>();
  const normOf = (match: Match): number => {
    const known = norms.get(match);
    if (known !== undefined) return known;
    const norm = Math.sqrt(dot(valuesOf(match), valuesOf(match)));
    norms.set(match, norm);
    return norm;
  };
  return (a, b) => {
    const product = normOf(a) * normOf(b);
    return product === 0 ? 0 : dot(valuesOf(a), valuesOf(b)) / product;
  };
}

const NOTHING = new Float32Array();

function valuesOf({ values }: Match): Float32Array {
  return values ?? NOTHING;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return sum;
}
