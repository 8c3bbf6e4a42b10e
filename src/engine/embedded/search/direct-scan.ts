// Scan of the records on disk, in slices: for namespaces too small to be worth memory, for those too large for it, and for
// what is not in memory together: branches, and earlier states.
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import { rankingMetric } from '../../../domain/ranking-metric.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import { type FieldCounts, ValueCounts } from '../../../domain/records/value-counts.ts';
import type { NumberOrder, SparseVector, ValuesRequest } from '../../port/reader-and-writer.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import { textScorer } from './direct-texts.ts';
import { metadataTest } from './namespace-filter.ts';
import { containsAll } from './required-terms.ts';
import { RowScorer } from './row-scorer.ts';
import type { SearchRequest } from './search-request.ts';
import { byScore, compareIds, type Hit, type PageStart, type SearchTarget } from './search-target.ts';
import type { SearchedRecords } from './searched-records.ts';
import type { Slices } from './slices.ts';
import type { Workspace } from './workspace.ts';

/** Records scored together, so that neighboring rows are read by one call. */
const BATCH_RECORDS = 64;
/** Records looked at between two yields. */
const RECORDS_A_LOOK = 64;
/** Hits kept beyond topK before the list is truncated. */
const HITS_SLACK = 1_000;

/** Records that match it are counted. */
type CountedTarget = Exclude<ValuesRequest['among'], null>[number];

interface NumberedRecord {
  readonly number: number;
  readonly id: string;
}

/** The methods are those of NamespaceSearch, in slices. */
export class DirectScan {
  readonly #profile: IndexProfile;
  readonly #searched: SearchedRecords;
  readonly #workspace: Workspace;

  constructor(profile: IndexProfile, searched: SearchedRecords, workspace: Workspace) {
    this.#profile = profile;
    this.#searched = searched;
    this.#workspace = workspace;
  }

  *query(target: SearchTarget, request: SearchRequest): Slices<readonly Hit[]> {
    const order = byScore(rankingMetric(this.#profile, request));
    const score = yield* this.#scorer(target, request);
    let best: Hit[] = [];
    let matched = 0;
    const { requiredTerms } = request;
    for (const matching of yield* this.#batches(target, request.filter)) {
      if (matching === null) {
        yield;
        continue;
      }
      const batch =
        requiredTerms === undefined
          ? matching
          : matching.filter(({ sparse }) => containsAll(sparse, requiredTerms));
      matched += batch.length;
      best.push(...score(batch));
      if (best.length > request.topK + HITS_SLACK) best = best.sort(order).slice(0, request.topK);
    }
    if (request.explain) {
      request.explain.structure = 'direct';
      request.explain.matched = matched;
      request.explain.rowsScored += matched;
    }
    return best.sort(order).slice(0, request.topK);
  }

  *firstMatching(target: SearchTarget, filter: Filter, page: PageStart): Slices<readonly LocatedRecord[]> {
    if (page.order !== undefined)
      return yield* this.#firstByNumber(target, filter, { ...page, order: page.order });
    const test = yield* this.#test(target, filter);
    const found: LocatedRecord[] = [];
    let looked = 0;
    for (const record of this.#searched.listById(target, page.after)) {
      if (++looked % RECORDS_A_LOOK === 0) yield;
      if (record !== null && test(record.metadataJson)) found.push(record);
      if (found.length === page.limit) break;
    }
    return found;
  }

  *#firstByNumber(
    target: SearchTarget,
    filter: Filter,
    { order, after, limit }: PageStart & { readonly order: NumberOrder },
  ): Slices<readonly LocatedRecord[]> {
    const sign = order.descending ? -1 : 1;
    const compare = (a: NumberedRecord, b: NumberedRecord) =>
      sign * (a.number - b.number) || compareIds(a.id, b.id);
    const start =
      order.afterNumber === null || after === null ? null : { number: order.afterNumber, id: after };
    let first: (NumberedRecord & { readonly record: LocatedRecord })[] = [];
    for (const batch of yield* this.#batches(target, filter)) {
      if (batch === null) yield;
      for (const record of batch ?? []) {
        const metadata = parseMetadata(record.metadataJson);
        const number = Object.hasOwn(metadata, order.field) ? metadata[order.field] : undefined;
        if (typeof number !== 'number') continue;
        const numbered = { number, id: record.id, record };
        if (start === null || compare(numbered, start) > 0) first.push(numbered);
      }
      if (first.length > limit + HITS_SLACK) first = first.sort(compare).slice(0, limit);
    }
    return first
      .sort(compare)
      .slice(0, limit)
      .map(({ record }) => record);
  }

  *count(target: SearchTarget, filter: Filter): Slices<number> {
    let count = 0;
    for (const batch of yield* this.#batches(target, filter)) {
      if (batch === null) yield;
      else count += batch.length;
    }
    return count;
  }

  *countValues(
    target: SearchTarget,
    { filter, among, fields }: ValuesRequest,
  ): Slices<readonly FieldCounts[]> {
    const counts = fields.map(({ field, limit }) => ({ counts: new ValueCounts(field), limit }));
    let tests: ((record: LocatedRecord) => boolean)[] | null = null;
    if (among !== null) {
      tests = [];
      for (const each of among) tests.push(yield* this.#matcher(target, each));
    }
    for (const batch of yield* this.#batches(target, filter)) {
      if (batch === null) yield;
      for (const record of batch ?? []) {
        if (tests !== null && !tests.some((matches) => matches(record))) continue;
        const metadata = parseMetadata(record.metadataJson);
        for (const { counts: each } of counts) each.add(metadata);
      }
    }
    return counts.map(({ counts: each, limit }) => each.top(limit));
  }

  /** Whether a record matches a target; records that share no index with a sparse vector do not. */
  *#matcher(
    target: SearchTarget,
    { text, sparse }: CountedTarget,
  ): Slices<(record: LocatedRecord) => boolean> {
    if (text === null) {
      const weights = sparseWeights(sparse);
      return (record) => sparseScore(weights, record.sparse) !== null;
    }
    const scorer = yield* textScorer(text, this.#profile, () => this.#records(target));
    return (record) => scorer.score(parseMetadata(record.metadataJson)) !== null;
  }

  #test(target: SearchTarget, filter: Filter | null): Slices<(metadataJson: string | null) => boolean> {
    const { filterable } = target;
    return metadataTest(filter, { profile: this.#profile, filterable, read: () => this.#records(target) });
  }

  #records(target: SearchTarget): Iterable<LocatedRecord | null> {
    return this.#searched.list(target);
  }

  *#textScorer(
    target: SearchTarget,
    text: TextQuery,
    explain: QueryExplain | null,
  ): Slices<(batch: readonly LocatedRecord[]) => readonly Hit[]> {
    const scorer = yield* textScorer(text, this.#profile, () => this.#records(target));
    if (explain !== null) explain.textScoreMax = scorer.scoreMax;
    return (batch) =>
      batch.flatMap((record) => {
        const score = scorer.score(parseMetadata(record.metadataJson));
        return score === null ? [] : [{ record, row: record.row, score }];
      });
  }

  /** Batches of the records that match, and null now and then between them, for others to run. */
  *#batches(target: SearchTarget, filter: Filter | null): Slices<Iterable<LocatedRecord[] | null>> {
    return this.#batchesOf(target, yield* this.#test(target, filter));
  }

  *#batchesOf(
    target: SearchTarget,
    test: (metadataJson: string | null) => boolean,
  ): Generator<LocatedRecord[] | null> {
    let batch: LocatedRecord[] = [];
    let looked = 0;
    for (const record of this.#records(target)) {
      if (++looked % RECORDS_A_LOOK === 0) yield null;
      if (record === null || !test(record.metadataJson)) continue;
      batch.push(record);
      if (batch.length === BATCH_RECORDS) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Scores a batch of records. On a sparse index, records that share no index with the query are no hits. */
  *#scorer(
    target: SearchTarget,
    request: SearchRequest,
  ): Slices<(batch: readonly LocatedRecord[]) => readonly Hit[]> {
    if (request.text) return yield* this.#textScorer(target, request.text, request.explain ?? null);
    const weights = sparseWeights(request.sparse);
    const rows = this.#searched.rowsOf(target);
    if (request.values === null || rows === null) {
      return (batch) =>
        batch.flatMap((record) => {
          const shared = sparseScore(weights, record.sparse);
          return shared === null ? [] : [{ record, row: record.row, score: shared }];
        });
    }
    const query = { values: request.values, metric: this.#profile.metric };
    return (batch) => {
      // Prepared for each batch: other searches use the workspace between two slices.
      const scorer = new RowScorer(this.#workspace, rows, query);
      const scores = scorer.score(batch.map((record) => record.row));
      return batch.map((record, i) => ({
        record,
        row: record.row,
        score: (scores[i] ?? 0) + (sparseScore(weights, record.sparse) ?? 0),
      }));
    };
  }
}

function sparseWeights(sparse: SparseVector | null): ReadonlyMap<number, number> {
  return new Map(
    sparse === null ? [] : Array.from(sparse.indices, (index, i) => [index, sparse.values[i] ?? 0]),
  );
}

/** As the kernel scores: summed in f64 in the order of the record, rounded once. Null when no index is shared. */
function sparseScore(weights: ReadonlyMap<number, number>, sparse: SparseVector | null): number | null {
  if (sparse === null) return null;
  let sum = 0;
  let isShared = false;
  for (let i = 0; i < sparse.indices.length; i++) {
    const weight = weights.get(sparse.indices[i] ?? -1);
    if (weight === undefined) continue;
    isShared = true;
    sum += weight * (sparse.values[i] ?? 0);
  }
  return isShared ? Math.fround(sum) : null;
}
