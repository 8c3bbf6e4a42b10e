// The writes of the vectors port as steps of a transaction. Each checks everything before it changes anything.
import { fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile, MetadataSchema } from '../../../domain/index-model.ts';
import { changedRecord } from '../../../domain/records/record-change.ts';
import type { MetadataChange, RecordChange, StorableRecord } from '../../port/reader-and-writer.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Finds the records of a namespace that match a filter, as they are within the transaction. */
export type FindMatches = (
  txn: WriteTransaction,
  namespace: OpenNamespace,
  filter: Filter,
) => Iterable<LocatedRecord>;

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

/** @returns how many records it changed. @throws the faults of `changedRecord` */
export function updateMatching(
  txn: WriteTransaction,
  name: string,
  change: MatchingChange & { readonly find: FindMatches; readonly profile: IndexProfile },
): number {
  const namespace = txn.namespaces.find(name);
  if (namespace === null) return 0;
  const { setMetadata, removeMetadata = [] } = change;
  const changed: { readonly record: LocatedRecord; readonly next: StorableRecord }[] = [];
  for (const record of change.find(txn, namespace, change.filter)) {
    if (changed.length === change.recordsMax) break;
    const own = { id: record.id, values: null, sparse: null, setMetadata, removeMetadata };
    changed.push({ record, next: changedRecord({ ...record, values: null }, own, change.profile) });
  }
  for (const { record, next } of changed) txn.rewrite(namespace, record, next);
  return changed.length;
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

/** @returns how many records it deleted. @throws namespace-not-found */
export function deleteMatching(
  txn: WriteTransaction,
  name: string,
  options: { readonly filter: Filter; readonly find: FindMatches },
): number {
  const namespace = existing(txn, name);
  const matching = [...options.find(txn, namespace, options.filter)];
  for (const record of matching) txn.remove(namespace, record);
  txn.namespaces.dropIfEmptied(namespace);
  return matching.length;
}

/** @throws namespace-not-found */
export function dropNamespace(txn: WriteTransaction, name: string): void {
  txn.namespaces.drop(existing(txn, name));
}

/** @throws namespace-exists */
export function addNamespace(txn: WriteTransaction, name: string, schema: MetadataSchema | null): void {
  if (txn.namespaces.find(name) !== null) throw fault('namespace-exists', { name });
  txn.namespaces.create(name, { schema, isExplicit: true });
}

function existing(txn: WriteTransaction, name: string): OpenNamespace {
  const namespace = txn.namespaces.find(name);
  if (namespace === null) throw fault('namespace-not-found');
  return namespace;
}
