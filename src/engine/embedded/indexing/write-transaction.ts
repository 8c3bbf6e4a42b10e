// The steps of writes within one LMDB transaction: they keep records, ids, counts, the row file's free list and the list
// of effects consistent.

import { momentIn, momentOf } from '../../../domain/expiry/time-to-live.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { HistoryCause } from '../../port/index-history.ts';
import type { Metadata, StorableRecord } from '../../port/reader-and-writer.ts';
import type { BranchNode } from '../storage/branches/branch-table.ts';
import { VisibleRecords } from '../storage/branches/visible-records.ts';
import { NO_ROW_SUM, rowSumOf } from '../storage/integrity/record-sums.ts';
import { FIELD_NAME_BYTES_MAX, seqKey } from '../storage/keys.ts';
import type { Inherited } from '../storage/namespace-table.ts';
import { type RecordStore, SEQ } from '../storage/record-store.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import { isStagedName } from '../storage/staged-names.ts';
import { BranchChanges, type ChangingRecord } from './branches/branch-changes.ts';
import { BranchNodes } from './branches/branch-nodes.ts';
import type { LedgerChange } from './derived-ledger.ts';
import { type Effect, encodeEffects } from './effects.ts';
import type { HistoryRecorder } from './history/history-recorder.ts';
import type { ListedFields } from './listed-fields.ts';
import { type OpenNamespace, OpenNamespaces } from './open-namespaces.ts';
import { RowAllocator } from './row-allocator.ts';

const NO_TEXTS: TransactionTexts = { unfiltered: new Set(), counted: false };

export interface RowWrite {
  readonly row: number;
  readonly values: Float32Array;
}

/** The texts of an index. */
export interface TransactionTexts {
  /** Full-text fields, which filters do not use. */
  readonly unfiltered: ReadonlySet<string>;
  /** True when statistics count the texts of records, so that deleted ones are needed. */
  readonly counted: boolean;
}

/** What LMDB is to hold of a record. */
export interface RewrittenRecord extends Pick<StorableRecord, 'sparse' | 'metadataJson'> {
  /** Of `metadataJson`, where it is at hand. */
  readonly metadata?: Metadata | undefined;
}

export class WriteTransaction {
  readonly store: RecordStore;
  readonly namespaces: OpenNamespaces;
  readonly effects: Effect[] = [];
  readonly rowWrites: RowWrite[] = [];
  /** The changes of the derived files' ledger. */
  readonly derived: LedgerChange;
  /** Number of the current operation. */
  seq: number;
  /** Number of the first write of the current operation. */
  operation: number;
  /** Number of the first operation. */
  readonly firstSeq: number;
  /** Notes what changes; null where no history is kept. */
  readonly history: HistoryRecorder | null;
  readonly branches: BranchNodes;
  /** What namespaces show: branches have records of others, too. */
  readonly visible: VisibleRecords;
  readonly branchChanges: BranchChanges;
  #cause: HistoryCause = 'request';
  /** The first of `rowWrites`, by row. */
  readonly #written = new Map<number, Float32Array>();
  #indexed = 0;
  readonly #readRow: ((row: number) => Float32Array) | null;
  readonly #rows: RowAllocator;
  readonly #fields: ListedFields;
  readonly #vectorBytes: number;
  readonly #texts: TransactionTexts;
  /** True when a follower asks which records change. */
  readonly #isTracked: boolean;
  /** The metadata field with the moment at which a record expires; null while none does. */
  readonly #expiryField: string | null;

  constructor(
    store: RecordStore,
    options: {
      readonly reusableSeq: number;
      readonly dimension: number | null;
      readonly fields: ListedFields;
      readonly derived: LedgerChange;
      /** Default none. */
      readonly texts?: TransactionTexts;
      /** Default none. */
      readonly history?: HistoryRecorder | null;
      /** Default as stored. */
      readonly branches?: BranchNodes;
      /** Reads the vector of a row; not needed without branches. */
      readonly readRow?: ((row: number) => Float32Array) | null;
    },
  ) {
    this.store = store;
    this.seq = store.numbers.get(SEQ);
    this.operation = this.seq;
    this.history = options.history ?? null;
    this.#rows = new RowAllocator(store, options.reusableSeq);
    this.#fields = options.fields;
    this.derived = options.derived;
    this.#texts = options.texts ?? NO_TEXTS;
    this.#isTracked = store.changed.isTracked();
    this.#expiryField = store.expiries.state?.field ?? null;
    this.firstSeq = this.seq + 1;
    this.#vectorBytes = (options.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
    this.namespaces = new OpenNamespaces(store, {
      vectorBytes: this.#vectorBytes,
      onDrop: (namespaceId) => {
        this.#fields.dropped(namespaceId);
        this.effects.push({ kind: 'drop', namespaceId });
        const node = this.branches.get(namespaceId);
        this.branchChanges.dropped(namespaceId);
        if (node !== null) this.#dropEmptiedSource(node);
      },
      onChange: (name) => this.#noteChange(name, null),
      onEvent: (name, event) => this.history?.namespace(this, name, event),
      heldBy: () => (this.history === null ? null : this.seq),
      hasBranches: (namespaceId) => this.branches.hasBranches(namespaceId),
    });
    this.branches = options.branches ?? new BranchNodes(store.branches);
    this.visible = new VisibleRecords(store, (namespaceId) => this.branches.get(namespaceId));
    this.#readRow = options.readRow ?? null;
    this.branchChanges = new BranchChanges({
      store,
      nodes: this.branches,
      copy: ([namespaceId, { name, isDropped }], record) =>
        this.copyToBranch({ namespaceId, name: isDropped ? null : name }, record),
      onReleased: () => this.namespaces.noteGarbage(),
    });
  }

  /** @param first number of its first write */
  startOperation(first: number): void {
    this.operation = first;
    this.becauseOf('request');
  }

  /** Says why the operation changes what it changes, which by default a caller requested. */
  becauseOf(cause: HistoryCause): void {
    this.#cause = cause;
    if (this.history !== null) this.history.cause = cause;
  }

  find({ namespaceId }: Pick<OpenNamespace, 'namespaceId'>, id: string): LocatedRecord | undefined {
    return this.visible.get(namespaceId, id);
  }

  /** Inserts or replaces a whole record. */
  put(namespace: OpenNamespace, record: StorableRecord): void {
    const previous = this.find(namespace, record.id);
    this.#noteBranches(namespace, { id: record.id, previous, isKept: true });
    if (previous !== undefined) this.#remove(namespace, previous);
    this.history?.put(this, namespace, { id: record.id, before: previous ?? null });
    this.#noteChange(namespace.name, record.id);
    const row = this.#rows.take();
    const { values, sparse, metadataJson } = record;
    if (values !== null) this.rowWrites.push({ row, values });
    this.store.records.putId(namespace.namespaceId, record.id, row);
    this.store.records.put(namespace.namespaceId, row, {
      ...record,
      seq: this.seq,
      rowSum: values === null ? NO_ROW_SUM : rowSumOf(bytesOf(values)),
    });
    const metadata = this.#noteMetadata(namespace, metadataJson);
    this.#noteMoment(namespace, row, metadata);
    this.effects.push({
      kind: 'add',
      namespaceId: namespace.namespaceId,
      row,
      id: record.id,
      values,
      sparse,
      metadata,
    });
    this.namespaces.count(namespace, 1);
    namespace.sizeBytes += this.#bytesOf(record);
  }

  /** Moves a record here from a namespace that is about to be dropped. Its dense values keep their row. */
  adopt(namespace: OpenNamespace, record: LocatedRecord, from: OpenNamespace): void {
    const { row, id, sparse, metadataJson, rowSum } = record;
    const previous = this.find(namespace, id);
    if (previous !== undefined) this.remove(namespace, previous);
    this.#noteBranches(from, { id, previous: record, isKept: false });
    this.history?.remove(this, from, record);
    this.store.records.remove(from.namespaceId, row, id);
    this.store.records.putId(namespace.namespaceId, id, row);
    this.store.records.put(namespace.namespaceId, row, { id, sparse, metadataJson, seq: this.seq, rowSum });
    const metadata = this.#noteMetadata(namespace, metadataJson);
    this.#noteMoment(namespace, row, metadata);
    const values = this.#vectorBytes > 0 ? 'stored' : null;
    this.effects.push({ kind: 'add', namespaceId: namespace.namespaceId, row, id, values, sparse, metadata });
    this.namespaces.count(namespace, 1);
    namespace.sizeBytes += this.#bytesOf(record);
  }

  /** Replaces what LMDB holds of a record; its dense values keep their row. */
  rewrite(namespace: OpenNamespace, previous: LocatedRecord, next: RewrittenRecord): void {
    const { row, id, rowSum } = previous;
    const { sparse, metadataJson } = next;
    if (this.#isInherited(namespace, id)) {
      this.put(namespace, { id, values: this.valuesOf(row), sparse, metadataJson });
      return;
    }
    this.#noteBranches(namespace, { id, previous, isKept: true });
    this.history?.rewrite(this, namespace, previous);
    this.#noteChange(namespace.name, id);
    this.store.records.put(namespace.namespaceId, row, { id, sparse, metadataJson, seq: this.seq, rowSum });
    const metadata = this.#noteMetadata(namespace, metadataJson, next.metadata);
    this.#forgetMoment(namespace, previous);
    this.#noteMoment(namespace, row, metadata);
    const values = this.#vectorBytes > 0 ? 'stored' : null;
    this.#noteRemoval(namespace, previous);
    this.effects.push({ kind: 'add', namespaceId: namespace.namespaceId, row, id, values, sparse, metadata });
    namespace.sizeBytes += this.#bytesOf({ id, sparse, metadataJson }) - this.#bytesOf(previous);
  }

  remove(namespace: OpenNamespace, record: LocatedRecord): void {
    this.#noteBranches(namespace, { id: record.id, previous: record, isKept: false });
    this.history?.remove(this, namespace, record);
    this.#remove(namespace, record);
  }

  /** Copies a record of its base to a branch, which shows it in place of that. Its number stays, since nothing changes. */
  copyToBranch(
    { namespaceId, name }: { readonly namespaceId: number; readonly name: string | null },
    { id, row: from, rowSum: knownSum, seq, sparse, metadataJson }: LocatedRecord,
  ): void {
    const row = this.#rows.take();
    const values = this.valuesOf(from);
    if (values !== null) this.rowWrites.push({ row, values });
    const rowSum = values === null || knownSum !== NO_ROW_SUM ? knownSum : rowSumOf(bytesOf(values));
    this.store.records.putId(namespaceId, id, row);
    this.store.records.put(namespaceId, row, { id, seq, sparse, metadataJson, rowSum });
    const metadata = this.#noteMetadata({ namespaceId }, metadataJson);
    this.#noteMoment({ namespaceId }, row, metadata);
    this.effects.push({ kind: 'add', namespaceId, row, id, values, sparse, metadata });
    const namespace = name === null ? null : this.namespaces.find(name);
    if (namespace === null) return;
    const bytes = this.#bytesOf({ id, sparse, metadataJson });
    this.namespaces.count(namespace, 1);
    namespace.sizeBytes += bytes;
    inherit(namespace, { records: -1, bytes: -bytes });
  }

  /** The vector in a row, which an earlier write of this transaction may have written; null on sparse indexes. */
  valuesOf(row: number): Float32Array | null {
    if (this.#vectorBytes === 0) return null;
    for (; this.#indexed < this.rowWrites.length; this.#indexed++) {
      const write = this.rowWrites[this.#indexed];
      if (write !== undefined) this.#written.set(write.row, write.values);
    }
    const written = this.#written.get(row);
    if (written !== undefined) return written;
    if (this.#readRow === null) throw new Error('a transaction with branches cannot read vectors');
    return this.#readRow(row);
  }

  #noteBranches(
    { namespaceId, name }: OpenNamespace,
    change: Omit<ChangingRecord, 'namespaceId' | 'hasExpired'>,
  ): void {
    const hasExpired = this.#cause === 'expiry';
    if (!isStagedName(name)) this.branchChanges.before({ namespaceId, hasExpired, ...change });
  }

  /** A source that was emptied stays for its branches. */
  #dropEmptiedSource({ base, source }: BranchNode): void {
    const namespace = this.namespaces.find(source);
    if (namespace?.namespaceId === base) this.namespaces.dropIfEmptied(namespace);
  }

  /** Whether a branch shows a record of its base under this id. */
  #isInherited({ namespaceId }: OpenNamespace, id: string): boolean {
    const isSharing = this.visible.sharing(namespaceId) !== null;
    return isSharing && this.store.records.rowOfId(namespaceId, id) === undefined;
  }

  #remove(namespace: OpenNamespace, record: LocatedRecord): void {
    this.#noteChange(namespace.name, record.id);
    if (this.#isInherited(namespace, record.id)) {
      inherit(namespace, { records: -1, bytes: -this.#bytesOf(record) });
      return;
    }
    this.store.records.remove(namespace.namespaceId, record.row, record.id);
    this.#rows.free(record.row);
    this.#forgetMoment(namespace, record);
    this.#noteRemoval(namespace, record);
    this.namespaces.count(namespace, -1);
    namespace.sizeBytes -= this.#bytesOf(record);
  }

  /**
   * Removes a record of a dropped namespace; nothing counts or shows it any more.
   * @param droppedBy the write after which its row was not used any more; default this one
   */
  purge(namespaceId: number, record: LocatedRecord, droppedBy?: number): void {
    this.store.records.remove(namespaceId, record.row, record.id);
    this.#rows.free(record.row, droppedBy);
  }

  /** Number of rows freed, which readers may still use. */
  get rowsFreed(): number {
    return this.#rows.freedCount;
  }

  /** Writes what the steps have only collected. Call once, last. */
  finish(): void {
    for (const namespaceId of this.namespaces.emptied) this.#fields.emptied(namespaceId);
    this.#fields.finish(this.seq);
    this.namespaces.finish();
    this.branches.flush();
    this.#rows.finish(this.seq);
    if (this.effects.length > 0) this.store.changes.putSync(seqKey(this.seq), encodeEffects(this.effects));
    this.derived.note(this.effects, this.firstSeq);
    this.derived.write(this.store);
    this.store.numbers.put(SEQ, this.seq);
  }

  #noteChange(name: string, id: string | null): void {
    if (this.#isTracked && !isStagedName(name)) this.store.changed.note(name, id, this.seq);
  }

  #noteMoment(
    { namespaceId }: Pick<OpenNamespace, 'namespaceId'>,
    row: number,
    metadata: Metadata | null,
  ): void {
    if (this.#expiryField === null || metadata === null) return;
    const moment = momentOf(metadata, this.#expiryField);
    if (moment !== null) this.store.expiries.put({ namespaceId, row, moment });
  }

  #forgetMoment({ namespaceId }: OpenNamespace, { row, metadataJson }: LocatedRecord): void {
    if (this.#expiryField === null) return;
    const moment = momentIn(metadataJson, this.#expiryField);
    if (moment !== null) this.store.expiries.remove({ namespaceId, row, moment });
  }

  /** Texts are counted out of the statistics by their terms. */
  #noteRemoval({ namespaceId }: OpenNamespace, { row, metadataJson: stored }: LocatedRecord): void {
    if (stored !== null) this.#fields.removed(namespaceId, this.#listed(parseMetadata(stored)));
    const metadataJson = this.#texts.counted ? stored : null;
    this.effects.push({ kind: 'remove', namespaceId, row, metadataJson });
  }

  /** @param metadata of the text, where it is known */
  #noteMetadata(
    namespace: Pick<OpenNamespace, 'namespaceId'>,
    metadataJson: string | null,
    metadata = parseMetadata(metadataJson),
  ): Metadata | null {
    if (metadataJson === null) return null;
    this.#fields.added(namespace.namespaceId, this.#listed(metadata));
    return metadata;
  }

  /** The fields that lists of namespaces show. */
  #listed(metadata: Metadata): readonly string[] {
    return Object.keys(metadata).filter(
      (field) => !this.#texts.unfiltered.has(field) && Buffer.byteLength(field) <= FIELD_NAME_BYTES_MAX,
    );
  }

  #bytesOf(record: Pick<StorableRecord, 'id' | 'sparse' | 'metadataJson'>): number {
    const sparseBytes = (record.sparse?.indices.length ?? 0) * 8;
    return record.id.length + this.#vectorBytes + sparseBytes + Buffer.byteLength(record.metadataJson ?? '');
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Counts what a branch shows of its base. */
function inherit(namespace: OpenNamespace, { records, bytes }: Inherited): void {
  const known = namespace.inherited;
  if (known === undefined) return;
  namespace.inherited = { records: known.records + records, bytes: Math.max(0, known.bytes + bytes) };
}
