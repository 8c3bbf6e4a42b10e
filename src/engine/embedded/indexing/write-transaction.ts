// The steps of writes within one LMDB transaction: they keep records, ids, counts, the row file's free list and the list
// of effects consistent.
import type { MetadataSchema } from '../../../domain/index-model.ts';
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

const NEXT_NAMESPACE_ID = 'next-space';

/** A namespace open for writing; the counts are written back when the transaction finishes. */
export interface Space {
  readonly name: string;
  readonly namespaceId: number;
  readonly schema: MetadataSchema | null;
  recordCount: number;
  sizeBytes: number;
}

export interface GrownNamespace extends Readonly<Space> {
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
  readonly #spaces = new Map<string, Space>();
  readonly #grown = new Set<number>();
  readonly #vectorBytes: number;
  #recordsAdded = 0;

  constructor(
    store: RecordStore,
    options: {
      readonly reusableSeq: number;
      readonly dimension: number | null;
      readonly fields: KnownFields;
      readonly derived: LedgerChange;
    },
  ) {
    this.store = store;
    this.seq = store.numbers.get(SEQ);
    this.#rows = new RowAllocator(store, options.reusableSeq);
    this.#fields = options.fields;
    this.derived = options.derived;
    this.firstSeq = this.seq + 1;
    this.#vectorBytes = (options.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  }

  /** The published namespaces that records were added to, as the transaction leaves them. */
  get grown(): readonly GrownNamespace[] {
    return [...this.#spaces.values()]
      .filter((space) => this.#grown.has(space.namespaceId) && !isStagedName(space.name))
      .map((space) => ({ ...space, otherBytes: space.sizeBytes - space.recordCount * this.#vectorBytes }));
  }

  space(name: string): Space | null {
    const known = this.#spaces.get(name);
    if (known !== undefined) return known;
    const row = this.store.namespaces.get(name);
    return row === null ? null : this.#remember(name, row);
  }

  createNamespace(name: string, schema: MetadataSchema | null): Space {
    const namespaceId = this.store.numbers.get(NEXT_NAMESPACE_ID) + 1;
    this.store.numbers.put(NEXT_NAMESPACE_ID, namespaceId);
    const row = { namespaceId, recordCount: 0, sizeBytes: 0, schema };
    this.store.namespaces.put(name, row);
    return this.#remember(name, row);
  }

  /** Removes the namespace at once; its records are removed later, in small transactions. */
  dropNamespace(space: Space): void {
    this.#forget(space);
    this.store.garbage.putSync(namespaceIdKey(space.namespaceId), Buffer.alloc(0));
    this.#fields.forget(space.namespaceId);
    this.effects.push({ kind: 'drop', namespaceId: space.namespaceId });
  }

  /** Keeps its id, and with it everything derived from its records. No namespace of the new name may exist. */
  renameNamespace(space: Space, name: string, schema: MetadataSchema | null): void {
    this.#forget(space);
    const { namespaceId, recordCount, sizeBytes } = space;
    this.#count(this.#remember(name, { namespaceId, recordCount: 0, sizeBytes, schema }), recordCount);
  }

  find(space: Space, id: string): LocatedRecord | undefined {
    const row = this.store.records.rowOfId(space.namespaceId, id);
    if (row === undefined) return undefined;
    const body = this.store.records.get(space.namespaceId, row);
    if (body === undefined) throw new Error(`id ${JSON.stringify(id)} names row ${row}, which is missing`);
    return { row, ...body };
  }

  /** Inserts or replaces a whole record. */
  put(space: Space, record: StorableRecord): void {
    const previous = this.find(space, record.id);
    if (previous !== undefined) this.remove(space, previous);
    const row = this.#rows.take();
    const { values, sparse, metadataJson } = record;
    if (values !== null) this.rowWrites.push({ row, values });
    this.store.records.putId(space.namespaceId, record.id, row);
    this.store.records.put(space.namespaceId, row, { ...record, seq: this.seq });
    const metadata = this.#noteMetadata(space, metadataJson);
    this.effects.push({
      kind: 'add',
      namespaceId: space.namespaceId,
      row,
      id: record.id,
      values,
      sparse,
      metadata,
    });
    this.#count(space, 1);
    space.sizeBytes += this.#bytesOf(record);
  }

  /** Moves a record here from a namespace that is about to be dropped. Its dense values keep their row. */
  adopt(space: Space, record: LocatedRecord, from: Space): void {
    const { row, id, sparse, metadataJson } = record;
    const previous = this.find(space, id);
    if (previous !== undefined) this.remove(space, previous);
    this.store.records.remove(from.namespaceId, row, id);
    this.store.records.putId(space.namespaceId, id, row);
    this.store.records.put(space.namespaceId, row, { id, sparse, metadataJson, seq: this.seq });
    const metadata = this.#noteMetadata(space, metadataJson);
    const values = this.#vectorBytes > 0 ? 'stored' : null;
    this.effects.push({ kind: 'add', namespaceId: space.namespaceId, row, id, values, sparse, metadata });
    this.#count(space, 1);
    space.sizeBytes += this.#bytesOf(record);
  }

  /** Replaces what LMDB holds of a record; its dense values keep their row. */
  rewrite(
    space: Space,
    previous: LocatedRecord,
    next: Pick<StorableRecord, 'sparse' | 'metadataJson'>,
  ): void {
    const { row, id } = previous;
    this.store.records.put(space.namespaceId, row, { id, ...next, seq: this.seq });
    const metadata = this.#noteMetadata(space, next.metadataJson);
    const values = this.#vectorBytes > 0 ? 'stored' : null;
    this.effects.push({ kind: 'remove', namespaceId: space.namespaceId, row });
    const { sparse } = next;
    this.effects.push({ kind: 'add', namespaceId: space.namespaceId, row, id, values, sparse, metadata });
    space.sizeBytes += this.#bytesOf({ id, ...next }) - this.#bytesOf(previous);
  }

  remove(space: Space, record: LocatedRecord): void {
    this.store.records.remove(space.namespaceId, record.row, record.id);
    this.#rows.free(record.row);
    this.effects.push({ kind: 'remove', namespaceId: space.namespaceId, row: record.row });
    this.#count(space, -1);
    space.sizeBytes -= this.#bytesOf(record);
  }

  /** Removes a record of a dropped namespace; nothing counts or shows it any more. */
  purge(namespaceId: number, record: LocatedRecord): void {
    this.store.records.remove(namespaceId, record.row, record.id);
    this.#rows.free(record.row);
  }

  /** Number of rows freed, which readers may still use. */
  get rowsFreed(): number {
    return this.#rows.freedCount;
  }

  /** Writes what the steps have only collected. Call once, last. */
  finish(): void {
    for (const { name, ...row } of this.#spaces.values()) this.store.namespaces.put(name, row);
    this.store.namespaces.addToRecordTotal(this.#recordsAdded);
    this.#rows.finish(this.seq);
    if (this.effects.length > 0) this.store.changes.putSync(seqKey(this.seq), encodeEffects(this.effects));
    this.derived.note(this.effects, this.firstSeq);
    this.derived.write(this.store);
    this.store.numbers.put(SEQ, this.seq);
  }

  /** The total excludes staged namespaces. */
  #count(space: Space, added: number): void {
    space.recordCount += added;
    if (added > 0) this.#grown.add(space.namespaceId);
    if (!isStagedName(space.name)) this.#recordsAdded += added;
  }

  #forget(space: Space): void {
    this.store.namespaces.remove(space.name);
    this.#spaces.delete(space.name);
    if (!isStagedName(space.name)) this.#recordsAdded -= space.recordCount;
  }

  #remember(name: string, row: NamespaceRow): Space {
    const space: Space = { name, ...row };
    this.#spaces.set(name, space);
    return space;
  }

  #noteMetadata(space: Space, metadataJson: string | null): Metadata | null {
    if (metadataJson === null) return null;
    const metadata = JSON.parse(metadataJson) as Metadata;
    for (const field of Object.keys(metadata)) {
      if (
        Buffer.byteLength(field) <= FIELD_NAME_BYTES_MAX &&
        this.#fields.isNew(this.store.fields, space.namespaceId, field)
      ) {
        this.store.fields.add(space.namespaceId, field);
      }
    }
    return metadata;
  }

  #bytesOf(record: Pick<StorableRecord, 'id' | 'sparse' | 'metadataJson'>): number {
    const sparseBytes = (record.sparse?.indices.length ?? 0) * 8;
    return record.id.length + this.#vectorBytes + sparseBytes + Buffer.byteLength(record.metadataJson ?? '');
  }
}
