// The steps of writes within one LMDB transaction: they keep records, ids, counts, the row file's free list and the list
// of effects consistent.

import type { MetadataSchema } from '../../../domain/index-model.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { Metadata, StorableRecord } from '../../port/reader-and-writer.ts';
import { FIELD_NAME_BYTES_MAX, namespaceIdKey, seqKey } from '../storage/keys.ts';
import type { NamespaceRow } from '../storage/namespace-table.ts';
import { type RecordStore, SEQ } from '../storage/record-store.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import { isStagedName } from '../storage/staged-names.ts';
import type { LedgerChange } from './derived-ledger.ts';
import { type Effect, encodeEffects } from './effects.ts';
import type { KnownFields } from './known-fields.ts';
import { RowAllocator } from './row-allocator.ts';

const NO_TEXTS: ReadonlySet<string> = new Set();
const NEXT_NAMESPACE_ID = 'next-space';

/** A namespace open for writing; the counts are written back when the transaction finishes. */
export interface OpenNamespace {
  readonly name: string;
  readonly namespaceId: number;
  readonly schema: MetadataSchema | null;
  readonly isExplicit: boolean;
  recordCount: number;
  sizeBytes: number;
}

/** What a namespace keeps from its creation. */
export type NamespaceKind = Pick<NamespaceRow, 'schema' | 'isExplicit'>;

export interface GrownNamespace extends Readonly<OpenNamespace> {
  /** Its size without dense values. */
  readonly otherBytes: number;
}

export interface RowWrite {
  readonly row: number;
  readonly values: Float32Array;
}

export class WriteTransaction {
  readonly store: RecordStore;
  readonly effects: Effect[] = [];
  readonly rowWrites: RowWrite[] = [];
  /** The changes of the derived files' ledger. */
  readonly derived: LedgerChange;
  /** Number of the current operation. */
  seq: number;
  /** Number of the first operation. */
  readonly firstSeq: number;
  readonly #rows: RowAllocator;
  readonly #fields: KnownFields;
  readonly #namespaces = new Map<string, OpenNamespace>();
  readonly #grown = new Set<number>();
  readonly #vectorBytes: number;
  /** Text fields, which filters do not compare. */
  readonly #texts: ReadonlySet<string>;
  #recordsAdded = 0;

  constructor(
    store: RecordStore,
    options: {
      readonly reusableSeq: number;
      readonly dimension: number | null;
      readonly fields: KnownFields;
      readonly derived: LedgerChange;
      /** Default none. */
      readonly texts?: ReadonlySet<string>;
    },
  ) {
    this.store = store;
    this.seq = store.numbers.get(SEQ);
    this.#rows = new RowAllocator(store, options.reusableSeq);
    this.#fields = options.fields;
    this.derived = options.derived;
    this.#texts = options.texts ?? NO_TEXTS;
    this.firstSeq = this.seq + 1;
    this.#vectorBytes = (options.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  }

  /** The published namespaces that records were added to, as the transaction leaves them. */
  get grown(): readonly GrownNamespace[] {
    return [...this.#namespaces.values()]
      .filter((namespace) => this.#grown.has(namespace.namespaceId) && !isStagedName(namespace.name))
      .map((namespace) => ({
        ...namespace,
        otherBytes: namespace.sizeBytes - namespace.recordCount * this.#vectorBytes,
      }));
  }

  namespace(name: string): OpenNamespace | null {
    const known = this.#namespaces.get(name);
    if (known !== undefined) return known;
    const row = this.store.namespaces.get(name);
    return row === null ? null : this.#remember(name, row);
  }

  createNamespace(name: string, { schema, isExplicit }: NamespaceKind): OpenNamespace {
    const namespaceId = this.store.numbers.get(NEXT_NAMESPACE_ID) + 1;
    this.store.numbers.put(NEXT_NAMESPACE_ID, namespaceId);
    const row = { namespaceId, recordCount: 0, sizeBytes: 0, schema, isExplicit };
    this.store.namespaces.put(name, row);
    return this.#remember(name, row);
  }

  /** Removes the namespace at once; its records are removed later, in small transactions. */
  dropNamespace(namespace: OpenNamespace): void {
    this.#forget(namespace);
    this.store.garbage.putSync(namespaceIdKey(namespace.namespaceId), Buffer.alloc(0));
    this.#fields.forget(namespace.namespaceId);
    this.effects.push({ kind: 'drop', namespaceId: namespace.namespaceId });
  }

  /** Keeps its id, and with it everything derived from its records. No namespace of the new name may exist. */
  renameNamespace(namespace: OpenNamespace, name: string, kind: NamespaceKind): void {
    this.#forget(namespace);
    const { namespaceId, recordCount, sizeBytes } = namespace;
    this.#count(this.#remember(name, { namespaceId, recordCount: 0, sizeBytes, ...kind }), recordCount);
  }

  /** Drops a namespace that exists only for its records, if it has none. */
  dropIfEmptied(namespace: OpenNamespace): void {
    if (namespace.recordCount === 0 && !namespace.isExplicit) this.dropNamespace(namespace);
  }

  find(namespace: OpenNamespace, id: string): LocatedRecord | undefined {
    const row = this.store.records.rowOfId(namespace.namespaceId, id);
    if (row === undefined) return undefined;
    const body = this.store.records.get(namespace.namespaceId, row);
    if (body === undefined) throw new Error(`id ${JSON.stringify(id)} names row ${row}, which is missing`);
    return { row, ...body };
  }

  /** Inserts or replaces a whole record. */
  put(namespace: OpenNamespace, record: StorableRecord): void {
    const previous = this.find(namespace, record.id);
    if (previous !== undefined) this.remove(namespace, previous);
    const row = this.#rows.take();
    const { values, sparse, metadataJson } = record;
    if (values !== null) this.rowWrites.push({ row, values });
    this.store.records.putId(namespace.namespaceId, record.id, row);
    this.store.records.put(namespace.namespaceId, row, { ...record, seq: this.seq });
    const metadata = this.#noteMetadata(namespace, metadataJson);
    this.effects.push({
      kind: 'add',
      namespaceId: namespace.namespaceId,
      row,
      id: record.id,
      values,
      sparse,
      metadata,
    });
    this.#count(namespace, 1);
    namespace.sizeBytes += this.#bytesOf(record);
  }

  /** Moves a record here from a namespace that is about to be dropped. Its dense values keep their row. */
  adopt(namespace: OpenNamespace, record: LocatedRecord, from: OpenNamespace): void {
    const { row, id, sparse, metadataJson } = record;
    const previous = this.find(namespace, id);
    if (previous !== undefined) this.remove(namespace, previous);
    this.store.records.remove(from.namespaceId, row, id);
    this.store.records.putId(namespace.namespaceId, id, row);
    this.store.records.put(namespace.namespaceId, row, { id, sparse, metadataJson, seq: this.seq });
    const metadata = this.#noteMetadata(namespace, metadataJson);
    const values = this.#vectorBytes > 0 ? 'stored' : null;
    this.effects.push({ kind: 'add', namespaceId: namespace.namespaceId, row, id, values, sparse, metadata });
    this.#count(namespace, 1);
    namespace.sizeBytes += this.#bytesOf(record);
  }

  /** Replaces what LMDB holds of a record; its dense values keep their row. */
  rewrite(
    namespace: OpenNamespace,
    previous: LocatedRecord,
    next: Pick<StorableRecord, 'sparse' | 'metadataJson'>,
  ): void {
    const { row, id } = previous;
    this.store.records.put(namespace.namespaceId, row, { id, ...next, seq: this.seq });
    const metadata = this.#noteMetadata(namespace, next.metadataJson);
    const values = this.#vectorBytes > 0 ? 'stored' : null;
    this.effects.push({ kind: 'remove', namespaceId: namespace.namespaceId, row });
    const { sparse } = next;
    this.effects.push({ kind: 'add', namespaceId: namespace.namespaceId, row, id, values, sparse, metadata });
    namespace.sizeBytes += this.#bytesOf({ id, ...next }) - this.#bytesOf(previous);
  }

  remove(namespace: OpenNamespace, record: LocatedRecord): void {
    this.store.records.remove(namespace.namespaceId, record.row, record.id);
    this.#rows.free(record.row);
    this.effects.push({ kind: 'remove', namespaceId: namespace.namespaceId, row: record.row });
    this.#count(namespace, -1);
    namespace.sizeBytes -= this.#bytesOf(record);
  }

  /** Removes a record of a dropped namespace; nothing counts or shows it any more. */
  purge(namespaceId: number, record: LocatedRecord): void {
    this.store.records.remove(namespaceId, record.row, record.id);
    this.#rows.free(record.row);
  }

  /** True when a namespace was dropped, whose records wait to be removed. */
  get leavesGarbage(): boolean {
    return this.effects.some(({ kind }) => kind === 'drop');
  }

  /** Number of rows freed, which readers may still use. */
  get rowsFreed(): number {
    return this.#rows.freedCount;
  }

  /** Writes what the steps have only collected. Call once, last. */
  finish(): void {
    for (const { name, ...row } of this.#namespaces.values()) this.store.namespaces.put(name, row);
    this.store.namespaces.addToRecordTotal(this.#recordsAdded);
    this.#rows.finish(this.seq);
    if (this.effects.length > 0) this.store.changes.putSync(seqKey(this.seq), encodeEffects(this.effects));
    this.derived.note(this.effects, this.firstSeq);
    this.derived.write(this.store);
    this.store.numbers.put(SEQ, this.seq);
  }

  /** The total excludes staged namespaces. */
  #count(namespace: OpenNamespace, added: number): void {
    namespace.recordCount += added;
    if (added > 0) this.#grown.add(namespace.namespaceId);
    if (!isStagedName(namespace.name)) this.#recordsAdded += added;
  }

  #forget(namespace: OpenNamespace): void {
    this.store.namespaces.remove(namespace.name);
    this.#namespaces.delete(namespace.name);
    if (!isStagedName(namespace.name)) this.#recordsAdded -= namespace.recordCount;
  }

  #remember(name: string, row: NamespaceRow): OpenNamespace {
    const namespace: OpenNamespace = { name, ...row };
    this.#namespaces.set(name, namespace);
    return namespace;
  }

  #noteMetadata(namespace: OpenNamespace, metadataJson: string | null): Metadata | null {
    if (metadataJson === null) return null;
    const metadata = parseMetadata(metadataJson);
    for (const field of Object.keys(metadata)) {
      if (
        !this.#texts.has(field) &&
        Buffer.byteLength(field) <= FIELD_NAME_BYTES_MAX &&
        this.#fields.isNew(this.store.fields, namespace.namespaceId, field)
      ) {
        this.store.fields.add(namespace.namespaceId, field);
      }
    }
    return metadata;
  }

  #bytesOf(record: Pick<StorableRecord, 'id' | 'sparse' | 'metadataJson'>): number {
    const sparseBytes = (record.sparse?.indices.length ?? 0) * 8;
    return record.id.length + this.#vectorBytes + sparseBytes + Buffer.byteLength(record.metadataJson ?? '');
  }
}
