// match_terms: words that the text of every hit must hold, in any order, found before ranking.
import { invalid } from '../../domain/faults.ts';
import type { EmbedModel } from '../../domain/inference/model.ts';
import type { SparseVector } from '../../domain/records/record.ts';
import type { JsonObject } from '../../domain/records/vector-record.ts';
import type { Match, QueryRequest, VectorReader } from '../../vectors/port.ts';
import { optionalArray, optionalObject, optionalString } from './request-fields.ts';
import { strings } from './search-request.ts';

const TERMS_MAX = 100;
/** Records looked at first, and how many more each further round looks at. */
const DEPTH_MIN = 256;
const DEPTH_FACTOR = 8;

/** None when the query has no such condition. @throws invalid-argument */
export function readMatchTerms(query: JsonObject, { name, vectorType }: EmbedModel): readonly string[] {
  const condition = optionalObject(query, 'matchTerms');
  if (condition === undefined) return [];
  if (vectorType !== 'sparse') {
    throw invalid(`match_terms is for indexes with a sparse model; this one embeds with ${name}`);
  }
  if ((optionalString(condition, 'strategy') ?? 'all') !== 'all') {
    throw invalid('query.match_terms.strategy must be all');
  }
  const terms = strings(optionalArray(condition, 'terms') ?? [], 'query.match_terms.terms');
  if (terms.length < 1 || terms.length > TERMS_MAX) {
    throw invalid(`query.match_terms.terms must hold 1 to ${TERMS_MAX} words, got ${terms.length}`);
  }
  if (terms.some((term) => term.trim() === '')) throw invalid('query.match_terms.terms must not be empty');
  return terms;
}

export type SparseQuery = Omit<QueryRequest, 'values' | 'sparse'> & { readonly sparse: SparseVector };

/**
 * The best matches among the records whose vector has every required index. Goes down the ranking and, beside it, down
 * the list of each required word: whichever ends first settles it, so that a rare word costs little.
 */
export async function queryHolding(
  store: VectorReader,
  query: SparseQuery,
  required: Uint32Array,
): Promise<readonly Match[]> {
  const { topK } = query;
  const isWanted = ({ sparse }: Match) => holdsAll(sparse?.indices ?? new Uint32Array(0), required);
  for (let depth = Math.max(DEPTH_MIN, topK); ; depth *= DEPTH_FACTOR) {
    const look = (sparse: SparseVector) =>
      store.query({ ...query, values: null, sparse, topK: depth, includeValues: true });
    const ranked = await look(query.sparse);
    const wanted = ranked.filter(isWanted);
    if (wanted.length >= topK || ranked.length < depth) return wanted.slice(0, topK);
    for (const index of required) {
      const holders = await look({ indices: Uint32Array.of(index), values: Float32Array.of(1) });
      if (holders.length < depth) return rescored(holders.filter(isWanted), query.sparse).slice(0, topK);
    }
  }
}

/** Both lists ascend. */
function holdsAll(indices: Uint32Array, required: Uint32Array): boolean {
  let at = 0;
  for (const index of required) {
    while (at < indices.length && (indices[at] ?? 0) < index) at++;
    if (indices[at] !== index) return false;
  }
  return true;
}

/** As the ranking would have them: best first, ties by id, without records that share nothing with the query. */
function rescored(matches: readonly Match[], query: SparseVector): readonly Match[] {
  const weights = new Map(Array.from(query.indices, (index, at) => [index, query.values[at] ?? 0]));
  return matches
    .flatMap((match) => {
      const { indices, values } = match.sparse ?? { indices: [], values: [] };
      const shared = Array.from(indices, (index, at) => ({ weight: weights.get(index), at }));
      const terms = shared.flatMap(({ weight, at }) =>
        weight === undefined ? [] : [weight * (values[at] ?? 0)],
      );
      if (terms.length === 0) return [];
      return [{ ...match, score: Math.fround(terms.reduce((sum, term) => sum + term, 0)) }];
    })
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}
