// The metric that orders the matches of a query: only dense vectors are compared by the metric of the index.
import type { IndexProfile, Metric } from './index-model.ts';

/** Searches by sparse vectors and by texts rank by their scores, highest first, as inner products do. */
export function rankingMetric(
  { metric }: Pick<IndexProfile, 'metric'>,
  { values }: { readonly values: Float32Array | null },
): Metric {
  return values === null ? 'dotproduct' : metric;
}
