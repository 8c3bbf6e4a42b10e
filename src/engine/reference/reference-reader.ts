// The reads of the reference model: exact arithmetic over all records.
import type { Filter } from '../../domain/filter/grammar.ts';
import { QueryExplain } from '../../domain/query-explain.ts';
import { rankingMetric } from '../../domain/ranking-metric.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import { type FieldCounts, ValueCounts } from '../../domain/records/value-counts.ts';
import { ReaderThatCounts } from '../port/query-and-count.ts';
import type {
  ExplainedMatches,
  FilteredRequest,
  ListPage,
  Lsn,
  Match,
  MatchTargets,
  NamespaceRecords,
  NamespaceSummary,
  NumberOrder,
  QueryRequest,
  StoredRecord,
  ValuesRequest,
  VectorReader,
} from '../port/reader-and-writer.ts';
import type { ReferenceContent } from './reference-content.ts';
import { compareAscii, type ReferenceNamespace, recordBytes } from './reference-namespace.ts';
import { referenceScore } from './reference-score.ts';

export class ReferenceReader extends ReaderThatCounts implements VectorReader {
  readonly #content: ReferenceContent;

  constructor(content: ReferenceContent) {
    super();
    this.#content = content;
  }

  lsn(): Lsn {
    return this.#content.lsn;
  }

  async query(request: QueryRequest): Promise<readonly Match[]> {
    return this.#query(request, null);
  }

  async explainQuery(request: QueryRequest): Promise<ExplainedMatches> {
    const explain = new QueryExplain(request.recall);
    const matches = this.#query(request, explain);
    return { matches, explanation: explain.finish() };
  }

  #query(request: QueryRequest, explain: QueryExplain | null): readonly Match[] {
    const metric = rankingMetric(this.#content.profile, request);
    const namespace = this.#content.namespaces.get(request.namespace);
    if (namespace !== undefined) explain?.startTry(namespace.records.size);
    const requiredTerms = [...(request.requiredTerms ?? [])];
    const matching = this.#content
      .matching(request.namespace, request.filter)
      .filter(({ sparse }) => requiredTerms.every((index) => sparse?.indices.includes(index)));
    explain?.endStage('filter');
    const analyzed = request.text ? (namespace?.texts() ?? null) : null;
    const texts = request.text ? (analyzed?.scores(request.text) ?? null) : null;
    if (explain && request.text) explain.textScoreMax = analyzed?.scoreMax(request.text) ?? null;
    const scored: Match[] = [];
    for (const record of matching) {
      const score = texts === null ? referenceScore(metric, request, record) : (texts.get(record.id) ?? null);
      if (score !== null) scored.push({ ...requestedParts(record, request), id: record.id, score });
    }
    const direction = metric === 'euclidean' ? 1 : -1;
    scored.sort((a, b) => direction * (a.score - b.score) || compareAscii(a.id, b.id));
    if (explain) countAll(explain, matching.length);
    return scored.slice(0, request.topK);
  }

  async fetch(
    namespace: string,
    ids: readonly string[],
    filter: Filter | null = null,
  ): Promise<readonly StoredRecord[]> {
    const records = this.#content.namespaces.get(namespace)?.records;
    const matching = new Set(this.#content.matching(namespace, filter));
    return ids.flatMap((id) => records?.get(id) ?? []).filter((record) => matching.has(record));
  }

  async fetchByFilter(request: FilteredRequest): Promise<ListPage<StoredRecord>> {
    const matching = this.#content.matching(request.namespace, request.filter);
    const rest =
      request.order === undefined
        ? matching.filter(({ id }) => isAfter(id, request.after))
        : this.#byNumber(matching, { ...request, order: request.order });
    let bytes = 0;
    const fitting = rest.findIndex((record) => {
      bytes += recordBytes(record);
      return bytes > request.bytesMax;
    });
    const count = fitting === -1 ? rest.length : fitting + 1;
    return pageOf(rest, Math.min(count, request.limit), ({ id }) => id);
  }

  async count(namespace: string, filter: Filter | null, among: MatchTargets = null): Promise<number> {
    return this.#among(namespace, filter, among).length;
  }

  #among(name: string, filter: Filter | null, among: MatchTargets): readonly StoredRecord[] {
    const namespace = this.#content.namespaces.get(name);
    return this.#content
      .matching(name, filter)
      .filter((record) => among === null || among.some((target) => matchesTarget(record, target, namespace)));
  }

  async countValues({
    namespace: name,
    filter,
    among,
    fields,
  }: ValuesRequest): Promise<readonly FieldCounts[]> {
    const namespace = this.#content.namespaces.get(name);
    const matching = this.#among(name, filter, among);
    return fields.map(({ field, limit }) => {
      const counts = new ValueCounts(field);
      if (namespace?.isFilterable(field))
        for (const { metadataJson } of matching) counts.add(parseMetadata(metadataJson));
      return counts.top(limit);
    });
  }

  async listIds(request: {
    readonly namespace: string;
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<string>> {
    const ids = this.#content.matching(request.namespace, null).map((record) => record.id);
    const rest = ids.filter((id) => id.startsWith(request.prefix) && isAfter(id, request.after));
    return pageOf(rest, request.limit, (id) => id);
  }

  async listNamespaces(request: {
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<NamespaceSummary> & { readonly total: number }> {
    const names = [...this.#content.namespaces.keys()].filter((name) => name.startsWith(request.prefix));
    const rest = names.filter((name) => isAfter(name, request.after)).sort(compareAscii);
    const { items, next } = pageOf(rest, request.limit, (name) => name);
    return { items: items.flatMap((name) => this.#summary(name) ?? []), next, total: names.length };
  }

  async recordCounts(): Promise<readonly (readonly NamespaceRecords[])[]> {
    const names = [...this.#content.namespaces.keys()].sort(compareAscii);
    const summaries = names.flatMap((name) => this.#summary(name) ?? []);
    return [summaries.map(({ name, recordCount }) => ({ name, recordCount }))];
  }

  async describeNamespace(name: string): Promise<NamespaceSummary | null> {
    return this.#summary(name);
  }

  async indexedFields(name: string): Promise<readonly string[]> {
    return this.#content.namespaces.get(name)?.indexedFields() ?? [];
  }

  #byNumber(
    records: readonly StoredRecord[],
    {
      namespace,
      after,
      order,
    }: Pick<FilteredRequest, 'namespace' | 'after'> & { readonly order: NumberOrder },
  ): readonly StoredRecord[] {
    if (this.#content.namespaces.get(namespace)?.isFilterable(order.field) !== true) return [];
    const sign = order.descending ? -1 : 1;
    const numbered = records.flatMap((record) => {
      const number = parseMetadata(record.metadataJson)[order.field];
      return typeof number === 'number' ? [{ record, number }] : [];
    });
    const { afterNumber } = order;
    return numbered
      .filter(({ record, number }) => {
        if (afterNumber === null) return true;
        return number === afterNumber ? isAfter(record.id, after) : sign * (number - afterNumber) > 0;
      })
      .sort((a, b) => sign * (a.number - b.number) || compareAscii(a.record.id, b.record.id))
      .map(({ record }) => record);
  }

  #summary(name: string): NamespaceSummary | null {
    return this.#content.namespaces.get(name)?.summary() ?? null;
  }
}

function matchesTarget(
  record: StoredRecord,
  { sparse, text }: NonNullable<MatchTargets>[number],
  namespace: ReferenceNamespace | undefined,
): boolean {
  if (text !== null) return namespace?.texts().scores(text).has(record.id) ?? false;
  return referenceScore('dotproduct', { values: null, sparse }, record) !== null;
}

function isAfter(name: string, after: string | null): boolean {
  return after === null || name > after;
}

function pageOf<Item>(rest: readonly Item[], count: number, nameOf: (item: Item) => string): ListPage<Item> {
  const items = rest.slice(0, count);
  const last = items.at(-1);
  return { items, next: last !== undefined && rest.length > items.length ? nameOf(last) : null };
}

function requestedParts(record: StoredRecord, request: QueryRequest): Partial<StoredRecord> {
  return {
    ...(request.includeValues ? { values: record.values, sparse: record.sparse } : {}),
    ...(request.includeMetadata ? { metadataJson: record.metadataJson } : {}),
  };
}

/** Counts every matching record as scored. */
function countAll(explain: QueryExplain, matched: number): void {
  explain.endStage('search');
  explain.structure = explain.tries === 0 ? 'none' : 'direct';
  explain.matched = matched;
  explain.rowsScored += matched;
}
