// The writes of the vectors port as steps of a transaction. Each checks everything before it changes anything.
import { fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile, MetadataSchema } from '../../../domain/index-model.ts';
import { METADATA_BYTES_MAX } from '../../../domain/limits.ts';
import { metadataText } from '../../../domain/records/metadata.ts';
import {
  appliesTo,
  changedFields,
  changedRecord,
  isEmptyChange,
} from '../../../domain/records/record-change.ts';
import type { MetadataChange, RecordChange, StorableRecord } from '../../port/reader-and-writer.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import type { RecordAction } from './filtered-change.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import type { WriteTransaction } from './write-transaction.ts';

export function upsertRecords(txn: WriteTransaction, name: string, records: readonly StorableRecord[]): void {
  const lastOfId = new Map(records.map((record) => [record.id, record]));
  const namespace =
    txn.namespaces.find(name) ?? txn.namespaces.create(name, { schema: null, isExplicit: false });
  for (const record of lastOfId.values()) txn.put(namespace, record);
}

/** Changes records in their order, all or none. @throws the faults of `changedRecord` */
export function updateRecords(
  txn: WriteTransaction,
  name: string,
  { changes, profile }: { readonly changes: readonly RecordChange[]; readonly profile: IndexProfile },
): void {
  const namespace = txn.namespaces.find(name);
  if (namespace === null) return;
  const changed = new Map<string, { readonly previous: LocatedRecord; readonly next: StorableRecord }>();
  for (const change of changes) {
    const known = changed.get(change.id);
    const previous = known?.previous ?? txn.find(namespace, change.id);
    if (previous === undefined) continue;
    const stored = known?.next ?? { ...previous, values: null };
    if (!appliesTo(change, stored)) continue;
    changed.set(change.id, { previous, next: changedRecord(stored, change, profile) });
  }
  for (const { previous, next } of changed.values()) {
    if (next.values !== null) txn.put(namespace, next);
    else txn.rewrite(namespace, previous, next);
  }
}

export interface MatchingChange extends MetadataChange {
  readonly filter: Filter;
  readonly recordsMax: number;
}

/** Changes the metadata of records; before any, it finds the faults of `changedRecord`. */
export function updateMatching(change: Omit<MatchingChange, 'filter'>, profile: IndexProfile): RecordAction {
  const { recordsMax, ...fields } = change;
  const changed = (record: LocatedRecord) => {
    const own = { id: record.id, values: null, sparse: null, ...fields };
    return changedRecord({ ...record, values: null }, own, profile);
  };
  const setBytes = Buffer.byteLength(JSON.stringify(fields.setMetadata ?? {}));
  return {
    recordsMax,
    check: (record) => {
      const isSmall = Buffer.byteLength(record.metadataJson ?? '') + setBytes <= METADATA_BYTES_MAX;
      if (!isSmall || profile.documents !== null) changed(record);
    },
    apply: (txn, namespace, record) => {
      // It only counts.
      if (isEmptyChange(fields)) return;
      if (profile.documents !== null) return txn.rewrite(namespace, record, changed(record));
      const { sparse } = record;
      const metadata = changedFields(record.metadata, fields);
      const metadataJson = metadata === null ? null : metadataText(metadata, fields.uncountedField);
      txn.rewrite(namespace, record, { sparse, metadataJson, metadata: metadata ?? undefined });
    },
  };
}

/** @throws namespace-not-found */
export function deleteRecords(txn: WriteTransaction, name: string, ids: readonly string[]): void {
  const namespace = existing(txn, name);
  for (const id of ids) {
    const record = txn.find(namespace, id);
    if (record !== undefined) txn.remove(namespace, record);
  }
  txn.namespaces.dropIfEmptied(namespace);
}

/** Deletes records. Throws namespace-not-found. */
export const deleteMatching: RecordAction = {
  apply: (txn, namespace, record) => txn.remove(namespace, record),
  finish: (txn, namespace) => txn.namespaces.dropIfEmptied(namespace),
  missing: () => {
    throw fault('namespace-not-found');
  },
};

/** @throws namespace-not-found */
export function dropNamespace(txn: WriteTransaction, name: string): void {
  txn.namespaces.drop(existing(txn, name));
}

/** Returns its number. @throws namespace-exists */
export function addNamespace(txn: WriteTransaction, name: string, schema: MetadataSchema | null): number {
  if (txn.namespaces.find(name) !== null) throw fault('namespace-exists', { name });
  return txn.namespaces.create(name, { schema, isExplicit: true }).namespaceId;
}

function existing(txn: WriteTransaction, name: string): OpenNamespace {
  const namespace = txn.namespaces.find(name);
  if (namespace === null) throw fault('namespace-not-found');
  return namespace;
}
