// Searches that leave out records, and those whose matches differ from each other.
import { TOP_K_MAX } from '../../domain/limits.ts';
import type { Metric } from '../../domain/metric.ts';
import { type Diversity, diversify } from './diversify.ts';
import type { Match, QueryRequest, VectorReader } from './record-access.ts';
import { withRecords } from './with-records.ts';

export interface VariedSearch {
  readonly request: QueryRequest;
  /** Ids that are no matches. */
  readonly excluded: readonly string[];
  /** Null for the top matches as they are. */
  readonly diversity: Diversity | null;
  readonly metric: Metric;
}

/**
 * The top `topK` without the excluded records; with a diversity, chosen among so many candidates. What is shown of the
 * records is read at the end, of the chosen ones. @throws response-too-big
 */
export async function searchVaried(
  store: VectorReader,
  { request, excluded, diversity, metric }: VariedSearch,
): Promise<readonly Match[]> {
  // The bound is for the answer, which has fewer matches than are looked at.
  const { topK, answerBytesMax: _bytes, answerForm: _form, ...rest } = request;
  const depth = diversity === null ? topK : Math.max(topK, diversity.candidates);
  const searched = Math.min(TOP_K_MAX, depth + excluded.length);
  const { candidatesMax } = rest;
  const found = await store.query({
    ...rest,
    ...(candidatesMax !== undefined && { candidatesMax: Math.max(candidatesMax, searched) }),
    topK: searched,
    includeValues: diversity !== null,
    includeMetadata: false,
  });
  const left = new Set(excluded);
  const candidates = found.filter(({ id }) => !left.has(id)).slice(0, depth);
  const chosen =
    diversity === null ? candidates : diversify(candidates, { topK, weight: diversity.weight, metric });
  return withRecords(
    store,
    chosen.map(({ id, score }) => ({ id, score })),
    request,
  );
}
