// The reference model of an index: plain Maps and exact arithmetic. Tests compare other implementations with it.
import { momentIn } from '../../domain/expiry/time-to-live.ts';
import { fault } from '../../domain/faults.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { appliesTo, changedRecord } from '../../domain/records/record-change.ts';
import type {
  Lsn,
  MatchedWrite,
  MetadataChange,
  NamespaceSummary,
  RecordChange,
  Removal,
  RemovalRequest,
  StorableRecord,
  StoredRecord,
  VectorWriter,
} from '../port/reader-and-writer.ts';
import { ReferenceBranches } from './reference-branches.ts';
import { ReferenceContent } from './reference-content.ts';
import { compareAscii, type ReferenceNamespace, type ReferenceNamespaceKind } from './reference-namespace.ts';
import { ReferenceReader } from './reference-reader.ts';

/** Of a namespace that an upsert creates. */
const IMPLICIT: ReferenceNamespaceKind = { schema: null, isExplicit: false };

/** The whole content of the model. */
export interface ReferenceState {
  readonly lsn: Lsn;
  readonly namespaces: readonly (NamespaceSummary & { readonly records: readonly StoredRecord[] })[];
}

export class ReferenceIndex extends ReferenceReader implements VectorWriter {
  readonly #content: ReferenceContent;
  readonly branches: ReferenceBranches;

  constructor(profile: IndexProfile) {
    const content = new ReferenceContent(profile);
    super(content);
    this.#content = content;
    this.branches = new ReferenceBranches(content);
  }

  static of(profile: IndexProfile, { lsn, namespaces }: ReferenceState): ReferenceIndex {
    const index = new ReferenceIndex(profile);
    for (const { name, records, ...kind } of namespaces) {
      const added = index.#content.add(name, kind);
      for (const record of records) added.records.set(record.id, record);
    }
    index.#content.lsn = lsn;
    return index;
  }

  /** Returns a copy of the content, in bytewise order of names and ids. Later writes do not change it. */
  state(): ReferenceState {
    const names = [...this.#content.namespaces.values()].sort((a, b) => compareAscii(a.name, b.name));
    return {
      lsn: this.#content.lsn,
      namespaces: names.map((each) => ({ ...each.summary(), records: each.matching(null) })),
    };
  }

  async upsert(namespace: string, records: readonly StorableRecord[]): Promise<Lsn> {
    const target = this.#content.namespaces.get(namespace) ?? this.#content.add(namespace, IMPLICIT);
    for (const record of records) target.records.set(record.id, record);
    return ++this.#content.lsn;
  }

  async update(namespace: string, change: RecordChange): Promise<Lsn> {
    return this.updateMany(namespace, [change]);
  }

  async updateMany(namespace: string, changes: readonly RecordChange[]): Promise<Lsn> {
    const records = this.#content.namespaces.get(namespace)?.records;
    const changed = new Map<string, StoredRecord>();
    for (const change of changes) {
      const record = changed.get(change.id) ?? records?.get(change.id);
      if (record !== undefined && appliesTo(change, record))
        changed.set(change.id, changedRecord(record, change, this.#content.profile));
    }
    for (const [id, record] of changed) records?.set(id, record);
    return ++this.#content.lsn;
  }

  async updateByFilter(
    namespace: string,
    change: MetadataChange & { readonly filter: Filter; readonly recordsMax: number },
  ): Promise<MatchedWrite> {
    const { filter, recordsMax, ...fields } = change;
    const matching = this.#content.matching(namespace, filter).slice(0, recordsMax);
    const changes = matching.map(({ id }) => ({ id, values: null, sparse: null, ...fields }));
    return { lsn: await this.updateMany(namespace, changes), matched: matching.length };
  }

  async deleteIds(namespace: string, ids: readonly string[]): Promise<Lsn> {
    const existing = this.#content.existing(namespace);
    for (const id of ids) existing.records.delete(id);
    this.#dropIfEmptied(existing);
    return ++this.#content.lsn;
  }

  async deleteByFilter(namespace: string, filter: Filter): Promise<MatchedWrite> {
    const existing = this.#content.existing(namespace);
    const matching = existing.matching(filter);
    for (const { id } of matching) existing.records.delete(id);
    this.#dropIfEmptied(existing);
    return { lsn: ++this.#content.lsn, matched: matching.length };
  }

  async deleteNamespace(name: string): Promise<Lsn> {
    const existing = this.#content.existing(name);
    const source = this.branches.sourceOf(existing);
    this.#content.namespaces.delete(existing.name);
    if (source !== null) this.#dropIfEmptied(source);
    return ++this.#content.lsn;
  }

  async createNamespace(name: string, schema: MetadataSchema | null): Promise<NamespaceSummary> {
    if (this.#content.namespaces.has(name)) throw fault('namespace-exists', { name });
    this.#content.lsn++;
    return this.#content.add(name, { schema, isExplicit: true }).summary();
  }

  async removeExpired({ field, now, recordsMax }: RemovalRequest): Promise<Removal> {
    const due: { readonly namespace: ReferenceNamespace; readonly id: string; readonly moment: number }[] =
      [];
    for (const namespace of this.#content.namespaces.values())
      for (const { id, metadataJson } of namespace.records.values()) {
        const moment = field === null ? null : momentIn(metadataJson, field);
        if (moment !== null && moment <= now) due.push({ namespace, id, moment });
      }
    due.sort((a, b) => a.moment - b.moment);
    const removed = due.slice(0, recordsMax);
    for (const { namespace, id } of removed) {
      namespace.records.delete(id);
      this.branches.expired(namespace, id);
    }
    for (const { namespace } of removed) this.#dropIfEmptied(namespace);
    if (removed.length > 0) this.#content.lsn++;
    const oldest = due[recordsMax]?.moment ?? null;
    return { removed: removed.length, isDone: oldest === null, oldest };
  }

  #dropIfEmptied(namespace: ReferenceNamespace): void {
    const { name, isExplicit, records } = namespace;
    if (records.size === 0 && !isExplicit && !this.branches.hasBranches(namespace))
      this.#content.namespaces.delete(name);
  }
}
