// The writes of the vectors port as steps of a transaction. Each checks everything before it changes anything.
import { fault, invalid } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { MetadataSchema } from '../../../domain/index-model.ts';
import { METADATA_BYTES_MAX } from '../../../domain/limits.ts';
import type { Metadata, SparseVector, StorableRecord } from '../../port/reader-and-writer.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import type { OpenNamespace, WriteTransaction } from './write-transaction.ts';

/** Finds the records of a namespace that match a filter, as they are within the transaction. */
export type FindMatches = (
  txn: WriteTransaction,
  namespace: OpenNamespace,
  filter: Filter,
) => Iterable<LocatedRecord>;

export function upsertRecords(txn: WriteTransaction, name: string, records: readonly StorableRecord[]): void {
  const lastOfId = new Map(records.map((record) => [record.id, record]));
  const namespace = txn.namespace(name) ?? txn.createNamespace(name, { schema: null, isExplicit: false });
  for (const record of lastOfId.values()) txn.put(namespace, record);
}

export interface RecordChange {
  readonly id: string;
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  readonly setMetadata: Metadata | null;
}

/** @throws metadata-too-big */
export function updateRecord(txn: WriteTransaction, name: string, change: RecordChange): void {
  const namespace = txn.namespace(name);
  const previous = namespace === null ? undefined : txn.find(namespace, change.id);
  if (namespace === null || previous === undefined) return;
  const metadataJson = mergeMetadata(previous.metadataJson, change.setMetadata);
  const sparse = change.sparse ?? previous.sparse;
  if (change.values !== null)
    txn.put(namespace, { id: change.id, values: change.values, sparse, metadataJson });
  else txn.rewrite(namespace, previous, { sparse, metadataJson });
}

export interface MatchingChange {
  readonly filter: Filter;
  readonly setMetadata: Metadata;
  readonly recordsMax: number;
}

/** @returns how many records it changed. @throws metadata-too-big */
export function updateMatching(
  txn: WriteTransaction,
  name: string,
  change: MatchingChange & { readonly find: FindMatches },
): number {
  const namespace = txn.namespace(name);
  if (namespace === null) return 0;
  const changed: { record: LocatedRecord; metadataJson: string | null }[] = [];
  for (const record of change.find(txn, namespace, change.filter)) {
    if (changed.length === change.recordsMax) break;
    changed.push({ record, metadataJson: mergeMetadata(record.metadataJson, change.setMetadata) });
  }
  for (const { record, metadataJson } of changed)
    txn.rewrite(namespace, record, { sparse: record.sparse, metadataJson });
  return changed.length;
}

/** @throws namespace-not-found */
export function deleteRecords(txn: WriteTransaction, name: string, ids: readonly string[]): void {
  const namespace = existing(txn, name);
  for (const id of ids) {
    const record = txn.find(namespace, id);
    if (record !== undefined) txn.remove(namespace, record);
  }
  txn.dropIfEmptied(namespace);
}

/** @throws namespace-not-found */
export function deleteMatching(
  txn: WriteTransaction,
  name: string,
  options: { readonly filter: Filter; readonly find: FindMatches },
): void {
  const namespace = existing(txn, name);
  for (const record of [...options.find(txn, namespace, options.filter)]) txn.remove(namespace, record);
  txn.dropIfEmptied(namespace);
}

/** @throws namespace-not-found */
export function dropNamespace(txn: WriteTransaction, name: string): void {
  txn.dropNamespace(existing(txn, name));
}

/** @throws namespace-exists */
export function addNamespace(txn: WriteTransaction, name: string, schema: MetadataSchema | null): void {
  if (txn.namespace(name) !== null) throw fault('namespace-exists', { name });
  txn.createNamespace(name, { schema, isExplicit: true });
}

function existing(txn: WriteTransaction, name: string): OpenNamespace {
  const namespace = txn.namespace(name);
  if (namespace === null) throw fault('namespace-not-found');
  return namespace;
}

function mergeMetadata(previousJson: string | null, set: Metadata | null): string | null {
  if (set === null || Object.keys(set).length === 0) return previousJson;
  // A null prototype keeps a field named __proto__ an ordinary field.
  const merged: Record<string, unknown> = Object.assign(
    Object.create(null),
    JSON.parse(previousJson ?? '{}'),
  );
  for (const [field, value] of Object.entries(set)) {
    if (value === null) throw invalid(`metadata field '${field}' must not be null`);
    merged[field] = value;
  }
  const json = JSON.stringify(merged);
  const bytes = Buffer.byteLength(json);
  if (bytes > METADATA_BYTES_MAX) throw fault('metadata-too-big', { bytes });
  return json;
}
