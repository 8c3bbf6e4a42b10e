// The reference model of an index: plain Maps and exact arithmetic. Tests compare other implementations with it.

import { fault } from '../../domain/faults.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { QueryExplain } from '../../domain/query-explain.ts';
import { rankingMetric } from '../../domain/ranking-metric.ts';
import { changedRecord } from '../../domain/records/record-change.ts';
import type {
  ExplainedMatches,
  ListPage,
  Lsn,
  Match,
  MatchedWrite,
  MetadataChange,
  NamespaceSummary,
  QueryRequest,
  RecordChange,
  StorableRecord,
  StoredRecord,
  VectorReader,
  VectorWriter,
} from '../port/reader-and-writer.ts';
import {
  compareAscii,
  ReferenceNamespace,
  type ReferenceNamespaceKind,
  recordBytes,
} from './reference-namespace.ts';
import { referenceScore } from './reference-score.ts';

/** Of a namespace that an upsert creates. */
const IMPLICIT: ReferenceNamespaceKind = { schema: null, isExplicit: false };

/** The whole content of the model. */
export interface ReferenceState {
  readonly lsn: Lsn;
  readonly namespaces: readonly (NamespaceSummary & {
    readonly isExplicit: boolean;
    readonly records: readonly StoredRecord[];
  })[];
}

export class ReferenceIndex implements VectorReader, VectorWriter {
  readonly #profile: IndexProfile;
  readonly #namespaces = new Map<string, ReferenceNamespace>();
  #lsn: Lsn = 0;

  constructor(profile: IndexProfile) {
    this.#profile = profile;
  }

  static of(profile: IndexProfile, { lsn, namespaces }: ReferenceState): ReferenceIndex {
    const index = new ReferenceIndex(profile);
    for (const { name, records, ...kind } of namespaces) {
      const added = index.#add(name, kind);
      for (const record of records) added.records.set(record.id, record);
    }
    index.#lsn = lsn;
    return index;
  }

  /** Returns a copy of the content, in bytewise order of names and ids. Later writes do not change it. */
  state(): ReferenceState {
    const names = [...this.#namespaces.values()].sort((a, b) => compareAscii(a.name, b.name));
    return {
      lsn: this.#lsn,
      namespaces: names.map((each) => ({
        ...each.summary(),
        isExplicit: each.isExplicit,
        records: each.matching(null),
      })),
    };
  }

  lsn(): Lsn {
    return this.#lsn;
  }

  async query(request: QueryRequest): Promise<readonly Match[]> {
    return this.#query(request, null);
  }

  async explainQuery(request: QueryRequest): Promise<ExplainedMatches> {
    const explain = new QueryExplain();
    const matches = this.#query(request, explain);
    return { matches, explanation: explain.finish() };
  }

  #query(request: QueryRequest, explain: QueryExplain | null): readonly Match[] {
    const metric = rankingMetric(this.#profile, request);
    const namespace = this.#namespaces.get(request.namespace);
    if (namespace !== undefined) explain?.startTry(namespace.records.size);
    const requiredTerms = [...(request.requiredTerms ?? [])];
    const matching = this.#matching(request.namespace, request.filter).filter(({ sparse }) =>
      requiredTerms.every((index) => sparse?.indices.includes(index)),
    );
    explain?.endStage('filter');
    const texts = request.text ? (namespace?.textScores(request.text) ?? null) : null;
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

  async fetch(namespace: string, ids: readonly string[]): Promise<readonly StoredRecord[]> {
    const records = this.#namespaces.get(namespace)?.records;
    return ids.flatMap((id) => records?.get(id) ?? []);
  }

  async fetchByFilter(request: {
    readonly namespace: string;
    readonly filter: Filter;
    readonly limit: number;
    readonly after: string | null;
    readonly bytesMax: number;
  }): Promise<ListPage<StoredRecord>> {
    const rest = this.#matching(request.namespace, request.filter).filter(({ id }) =>
      isAfter(id, request.after),
    );
    let bytes = 0;
    const fitting = rest.findIndex((record) => {
      bytes += recordBytes(record);
      return bytes > request.bytesMax;
    });
    const count = fitting === -1 ? rest.length : fitting + 1;
    return pageOf(rest, Math.min(count, request.limit), ({ id }) => id);
  }

  async count(namespace: string, filter: Filter): Promise<number> {
    return this.#matching(namespace, filter).length;
  }

  async listIds(request: {
    readonly namespace: string;
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<string>> {
    const ids = this.#matching(request.namespace, null).map((record) => record.id);
    const rest = ids.filter((id) => id.startsWith(request.prefix) && isAfter(id, request.after));
    return pageOf(rest, request.limit, (id) => id);
  }

  async listNamespaces(request: {
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<NamespaceSummary> & { readonly total: number }> {
    const names = [...this.#namespaces.keys()].filter((name) => name.startsWith(request.prefix));
    const rest = names.filter((name) => isAfter(name, request.after)).sort(compareAscii);
    const { items, next } = pageOf(rest, request.limit, (name) => name);
    return { items: items.flatMap((name) => this.#summary(name) ?? []), next, total: names.length };
  }

  async describeNamespace(name: string): Promise<NamespaceSummary | null> {
    return this.#summary(name);
  }

  async indexedFields(name: string): Promise<readonly string[]> {
    return this.#namespaces.get(name)?.indexedFields() ?? [];
  }

  async upsert(namespace: string, records: readonly StorableRecord[]): Promise<Lsn> {
    const target = this.#namespaces.get(namespace) ?? this.#add(namespace, IMPLICIT);
    for (const record of records) target.records.set(record.id, record);
    return ++this.#lsn;
  }

  async update(namespace: string, change: RecordChange): Promise<Lsn> {
    return this.updateMany(namespace, [change]);
  }

  async updateMany(namespace: string, changes: readonly RecordChange[]): Promise<Lsn> {
    const records = this.#namespaces.get(namespace)?.records;
    const changed = new Map<string, StoredRecord>();
    for (const change of changes) {
      const record = changed.get(change.id) ?? records?.get(change.id);
      if (record !== undefined) changed.set(change.id, changedRecord(record, change, this.#profile));
    }
    for (const [id, record] of changed) records?.set(id, record);
    return ++this.#lsn;
  }

  async updateByFilter(
    namespace: string,
    change: MetadataChange & { readonly filter: Filter; readonly recordsMax: number },
  ): Promise<MatchedWrite> {
    const { setMetadata, removeMetadata = [] } = change;
    const matching = this.#matching(namespace, change.filter).slice(0, change.recordsMax);
    const changes = matching.map(({ id }) => ({
      id,
      values: null,
      sparse: null,
      setMetadata,
      removeMetadata,
    }));
    return { lsn: await this.updateMany(namespace, changes), matched: matching.length };
  }

  async deleteIds(namespace: string, ids: readonly string[]): Promise<Lsn> {
    const existing = this.#existing(namespace);
    for (const id of ids) existing.records.delete(id);
    this.#dropIfEmptied(existing);
    return ++this.#lsn;
  }

  async deleteByFilter(namespace: string, filter: Filter): Promise<MatchedWrite> {
    const existing = this.#existing(namespace);
    const matching = existing.matching(filter);
    for (const { id } of matching) existing.records.delete(id);
    this.#dropIfEmptied(existing);
    return { lsn: ++this.#lsn, matched: matching.length };
  }

  async deleteNamespace(name: string): Promise<Lsn> {
    this.#namespaces.delete(this.#existing(name).name);
    return ++this.#lsn;
  }

  async createNamespace(name: string, schema: MetadataSchema | null): Promise<NamespaceSummary> {
    if (this.#namespaces.has(name)) throw fault('namespace-exists', { name });
    this.#lsn++;
    return this.#add(name, { schema, isExplicit: true }).summary();
  }

  #dropIfEmptied({ name, isExplicit, records }: ReferenceNamespace): void {
    if (records.size === 0 && !isExplicit) this.#namespaces.delete(name);
  }

  #add(name: string, kind: ReferenceNamespaceKind): ReferenceNamespace {
    const added = new ReferenceNamespace(name, kind, this.#profile);
    this.#namespaces.set(name, added);
    return added;
  }

  #existing(name: string): ReferenceNamespace {
    const namespace = this.#namespaces.get(name);
    if (namespace === undefined) throw fault('namespace-not-found');
    return namespace;
  }

  #matching(namespace: string, filter: Filter | null): readonly StoredRecord[] {
    return this.#namespaces.get(namespace)?.matching(filter) ?? [];
  }

  #summary(name: string): NamespaceSummary | null {
    return this.#namespaces.get(name)?.summary() ?? null;
  }
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
