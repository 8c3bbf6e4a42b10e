// Full-text search of the records on disk: one pass over them gathers the statistics of a query, then each is scored.
import type { Filter } from '../../../domain/filter/grammar.ts';
import { type BoundQuery, bindQuery, scoreRecord } from '../../../domain/full-text/scoring/bound-query.ts';
import { GatheredTerms } from '../../../domain/full-text/scoring/gathered-terms.ts';
import {
  analyzeRecord,
  type RecordAnalysis,
  termsOfRecord,
} from '../../../domain/full-text/scoring/record-analysis.ts';
import { scoreMax } from '../../../domain/full-text/scoring/score-max.ts';
import { type SearchedIndex, searchedTextsOf } from '../../../domain/full-text/searched-texts.ts';
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import type { Slices } from './slices.ts';

/** The stored fields of every record of a namespace, read anew with each call; null for what it does not show. */
export type ReadMetadata = () => Iterable<{ readonly metadataJson: string | null } | null>;

/** Records read between two yields. */
const RECORDS_A_LOOK = 16;

export interface TextScorer {
  /** The score of a record with these fields; null when it does not match. */
  readonly score: (metadata: Metadata) => number | null;
  /** See scoring/score-max.ts. */
  readonly scoreMax: number;
}

/** Reads all records once, in slices. @throws invalid-argument when an expansion of the query stands for too many terms */
export function* textScorer(query: TextQuery, index: SearchedIndex, read: ReadMetadata): Slices<TextScorer> {
  const fields = searchedTextsOf(index);
  const bound = (yield* boundQueries([query], fields, read)).get(query);
  if (bound === undefined) throw new Error('the query was not bound');
  return {
    score: (metadata) => scoreRecord(bound, termsOfRecord(bound, analyzeRecord(metadata, fields))),
    scoreMax: scoreMax(bound),
  };
}

/** Binds queries to the statistics of all records, each of which is read and analyzed once. */
function* boundQueries(
  queries: readonly TextQuery[],
  fields: ReadonlyMap<string, TextAnalysis>,
  read: ReadMetadata,
): Slices<ReadonlyMap<TextQuery, BoundQuery>> {
  const gathered = queries.map((query) => ({ query, terms: new GatheredTerms(query) }));
  let looked = 0;
  for (const each of read()) {
    if (++looked % RECORDS_A_LOOK === 0) yield;
    if (each === null) continue;
    const record = analyzeRecord(parseMetadata(each.metadataJson), fields);
    for (const { terms } of gathered) terms.add(record);
  }
  return new Map(gathered.map(({ query, terms }) => [query, bindQuery(query, terms)]));
}

/** The text queries of a filter. */
export function textQueriesIn(filter: Filter | null): readonly TextQuery[] {
  if (filter === null || filter.kind === 'field' || filter.kind === 'live') return [];
  if (filter.kind === 'text') return [filter.query];
  return filter.kind === 'not' ? textQueriesIn(filter.part) : filter.parts.flatMap(textQueriesIn);
}

/** Whether a record matches each of a filter's text queries; a record is analyzed once for all of them. */
export function* textMatcher(
  filter: Filter | null,
  profile: SearchedIndex,
  read: ReadMetadata,
): Slices<(query: TextQuery, metadata: Metadata) => boolean> {
  const queries = textQueriesIn(filter);
  if (queries.length === 0) return () => false;
  const fields = searchedTextsOf(profile);
  const bound = yield* boundQueries(queries, fields, read);
  let last: { readonly metadata: Metadata; readonly record: RecordAnalysis } | null = null;
  return (query, metadata) => {
    if (last?.metadata !== metadata) last = { metadata, record: analyzeRecord(metadata, fields) };
    const own = bound.get(query);
    return own !== undefined && scoreRecord(own, termsOfRecord(own, last.record)) !== null;
  };
}
