// Full-text search of the records on disk: one pass over them gathers the statistics of a query, then each is scored.
import type { Filter } from '../../../domain/filter/grammar.ts';
import { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import {
  type BoundQuery,
  bindQuery,
  matchesRecord,
  scoreRecord,
} from '../../../domain/full-text/scoring/bound-query.ts';
import { GatheredTerms } from '../../../domain/full-text/scoring/gathered-terms.ts';
import {
  analyzeRecord,
  type RecordAnalysis,
  termsOfRecord,
  tokensOf,
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

/** Steps that a query may take for each token of a record that is read: less than its analysis costs. */
const STEPS_A_TOKEN = 50;

export interface TextScorer {
  /** The score of a record with these fields; null when it does not match. */
  readonly score: (metadata: Metadata) => number | null;
  /** See scoring/score-max.ts. */
  readonly scoreMax: number;
}

/** Reads all records once, in slices. @throws invalid-argument for a query that is too expensive, as `score` does */
export function* textScorer(query: TextQuery, index: SearchedIndex, read: ReadMetadata): Slices<TextScorer> {
  const texts = new DirectTexts(index);
  const bound = (yield* texts.bind([query], read)).get(query);
  if (bound === undefined) throw new Error('the query was not bound');
  return {
    score: (metadata) => scoreRecord(bound, termsOfRecord(bound, texts.analyze(metadata), texts.steps)),
    scoreMax: scoreMax(bound),
  };
}

/** The texts of records that one search analyzes, which pay for steps of its queries. */
class DirectTexts {
  readonly steps = new QuerySteps();
  readonly #fields: ReadonlyMap<string, TextAnalysis>;

  constructor(index: SearchedIndex) {
    this.#fields = searchedTextsOf(index);
  }

  analyze(metadata: Metadata): RecordAnalysis {
    const record = analyzeRecord(metadata, this.#fields);
    this.steps.allow(STEPS_A_TOKEN * tokensOf(record));
    return record;
  }

  /** Binds queries to the statistics of all records, each of which is read and analyzed once. */
  *bind(queries: readonly TextQuery[], read: ReadMetadata): Slices<ReadonlyMap<TextQuery, BoundQuery>> {
    const gathered = queries.map((query) => ({ query, terms: new GatheredTerms(query, this.steps) }));
    for (const each of read()) {
      yield;
      if (each === null) continue;
      const record = this.analyze(parseMetadata(each.metadataJson));
      for (const { terms } of gathered) terms.add(record);
    }
    return new Map(gathered.map(({ query, terms }) => [query, bindQuery(query, terms)]));
  }
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
  const texts = new DirectTexts(profile);
  const bound = yield* texts.bind(queries, read);
  let last: { readonly metadata: Metadata; readonly record: RecordAnalysis } | null = null;
  return (query, metadata) => {
    if (last?.metadata !== metadata) last = { metadata, record: texts.analyze(metadata) };
    const own = bound.get(query);
    return own !== undefined && matchesRecord(own, termsOfRecord(own, last.record, texts.steps));
  };
}
