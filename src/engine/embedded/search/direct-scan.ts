// Scan of the records on disk, in slices: for namespaces too small to be worth memory, for those too large for it, and for
// what is not in memory together: branches, and earlier states.
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import { type FieldCounts, ValueCounts } from '../../../domain/records/value-counts.ts';
import type { MatchTargets, NumberOrder, SparseVector, ValuesRequest } from '../../port/reader-and-writer.ts';
import type { RecordParts } from '../../port/record-codec.ts';
import { roundedScore } from '../sparse/rounded-score.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import { BestHits, searchedParts } from './best-hits.ts';
import { textScorer } from './direct-texts.ts';
import { FirstItems } from './first-items.ts';
import { bytesOf, FoundPage } from './found-page.ts';
import { metadataTest } from './namespace-filter.ts';
import { batchesOf, RECORDS_A_LOOK } from './record-batches.ts';
import { containsAll } from './required-terms.ts';
import { RowScorer } from './row-scorer.ts';
import type { SearchRequest } from './search-request.ts';
import { compareIds, type Hit, type PageRequest, type SearchTarget } from './search-target.ts';
import type { SearchedRecords } from './searched-records.ts';
import type { Slices } from './slices.ts';
import type { Workspace } from './workspace.ts';

const ALL_PARTS: RecordParts = { sparse: true, metadata: true };
const METADATA: RecordParts = { sparse: false, metadata: true };

/** Records that match it are counted. */
type CountedTarget = NonNullable<MatchTargets>[number];

interface RecordNumber {
  readonly number: number;
  readonly id: string;
}

interface NumberedRecord extends RecordNumber {
  readonly record: LocatedRecord;
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
    const score = yield* this.#scorer(target, request);
    const best = new BestHits(this.#profile, request);
    let matched = 0;
    let found = 0;
    const { requiredTerms } = request;
    for (const matching of yield* this.#batches(target, request.filter, searchedParts(request))) {
      if (matching === null) {
        yield;
        continue;
      }
      const batch =
        requiredTerms === undefined
          ? matching
          : matching.filter(({ sparse }) => containsAll(sparse, requiredTerms));
      matched += batch.length;
      for (const hit of score(batch)) {
        found++;
        best.add(hit);
      }
    }
    if (request.counter) request.counter.matched = found;
    if (request.explain) {
      request.explain.structure = 'direct';
      request.explain.matched = matched;
      request.explain.rowsScored += matched;
    }
    return best.finish();
  }

  *pageOf(target: SearchTarget, filter: Filter, page: PageRequest): Slices<FoundPage> {
    const { order, after } = page;
    const found = new FoundPage(page, this.#profile.dimension);
    if (order !== undefined) {
      const first = yield* this.#firstByNumber(target, filter, { ...page, order });
      for (const { record } of first) if (!found.add(record)) break;
      return found;
    }
    const test = yield* this.#test(target, filter);
    let looked = 0;
    for (const record of this.#searched.listById(target, after)) {
      if (++looked % RECORDS_A_LOOK === 0) yield;
      if (record !== null && test(record.metadataJson) && !found.add(record)) break;
    }
    return found;
  }

  /** Those of the page, and the next one. */
  *#firstByNumber(
    target: SearchTarget,
    filter: Filter,
    { order, after, limit, bytesMax }: PageRequest & { readonly order: NumberOrder },
  ): Slices<readonly NumberedRecord[]> {
    const sign = order.descending ? -1 : 1;
    const compare = (a: RecordNumber, b: RecordNumber) =>
      sign * (a.number - b.number) || compareIds(a.id, b.id);
    const start =
      order.afterNumber === null || after === null ? null : { number: order.afterNumber, id: after };
    const first = new FirstItems<NumberedRecord>({
      ...{ compare, limit: limit + 1, bytesMax },
      bytesOf: ({ record }) => bytesOf(record, this.#profile.dimension),
    });
    for (const batch of yield* this.#batches(target, filter, ALL_PARTS)) {
      if (batch === null) yield;
      for (const record of batch ?? []) {
        const metadata = parseMetadata(record.metadataJson);
        const number = Object.hasOwn(metadata, order.field) ? metadata[order.field] : undefined;
        if (typeof number !== 'number') continue;
        const numbered = { number, id: record.id, record };
        if (start === null || compare(numbered, start) > 0) first.add(numbered);
      }
    }
    return first.finish();
  }

  *count(target: SearchTarget, filter: Filter | null, among: MatchTargets): Slices<number> {
    let count = 0;
    for (const batch of yield* this.#batchesAmong(target, filter, among)) {
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
    for (const batch of yield* this.#batchesAmong(target, filter, among)) {
      if (batch === null) yield;
      for (const record of batch ?? []) {
        const metadata = parseMetadata(record.metadataJson);
        for (const { counts: each } of counts) each.add(metadata);
      }
    }
    return counts.map(({ counts: each, limit }) => each.top(limit));
  }

  /** As `#batches`, of the records that match one of the targets, too. */
  *#batchesAmong(
    target: SearchTarget,
    filter: Filter | null,
    among: MatchTargets,
  ): Slices<Iterable<LocatedRecord[] | null>> {
    if (among === null) return yield* this.#batches(target, filter, METADATA);
    const tests: ((record: LocatedRecord) => boolean)[] = [];
    for (const each of among) tests.push(yield* this.#matcher(target, each));
    const batches = yield* this.#batches(target, filter, ALL_PARTS);
    return Iterator.from(batches).map(
      (batch) => batch?.filter((record) => tests.some((matches) => matches(record))) ?? null,
    );
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
    const scorer = yield* textScorer(text, this.#profile, () => this.#records(target, METADATA));
    return (record) => scorer.score(parseMetadata(record.metadataJson)) !== null;
  }

  #test(target: SearchTarget, filter: Filter | null): Slices<(metadataJson: string | null) => boolean> {
    const { filterable } = target;
    const read = () => this.#records(target, METADATA);
    return metadataTest(filter, { profile: this.#profile, filterable, read });
  }

  #records(target: SearchTarget, parts: RecordParts): Iterable<LocatedRecord | null> {
    return this.#searched.list(target, parts);
  }

  *#textScorer(
    target: SearchTarget,
    text: TextQuery,
    explain: QueryExplain | null,
  ): Slices<(batch: readonly LocatedRecord[]) => readonly Hit[]> {
    const scorer = yield* textScorer(text, this.#profile, () => this.#records(target, METADATA));
    if (explain !== null) explain.textScoreMax = scorer.scoreMax;
    return (batch) =>
      batch.flatMap((record) => {
        const score = scorer.score(parseMetadata(record.metadataJson));
        return score === null ? [] : [{ record, row: record.row, score }];
      });
  }

  /** Batches of the records that match, and null now and then between them, for others to run. */
  *#batches(
    target: SearchTarget,
    filter: Filter | null,
    parts: RecordParts,
  ): Slices<Iterable<LocatedRecord[] | null>> {
    const test = yield* this.#test(target, filter);
    return batchesOf(this.#records(target, parts), test);
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

/** As in memory: summed in f64 in the order of the record, rounded once. Null when no index is shared. */
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
  return isShared ? roundedScore(sum) : null;
}
