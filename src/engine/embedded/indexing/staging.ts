// The writes of staged namespaces, as steps of a transaction.
import { fault } from '../../../domain/faults.ts';
import type { NewNamespace, StagedNamespace } from '../../port/staged-namespaces.ts';
import { CAPABILITIES } from '../storage/capabilities.ts';
import type { RecordStore } from '../storage/record-store.ts';
import { partsOfStagedName, stagedName } from '../storage/staged-names.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import type { WriteTransaction } from './write-transaction.ts';

export function stage(txn: WriteTransaction, owner: string, namespaces: readonly NewNamespace[]): void {
  for (const { name, schema } of namespaces) {
    const staged = stagedName(owner, name);
    if (txn.namespaces.find(staged) === null) txn.namespaces.create(staged, { schema, isExplicit: true });
  }
}

export function stagedIn(store: RecordStore): readonly StagedNamespace[] {
  return [...store.namespaces.listStaged()].map(({ name, row: { recordCount, schema } }) => ({
    ...partsOfStagedName(name),
    recordCount,
    schema,
  }));
}

interface Pair {
  readonly name: string;
  readonly staged: OpenNamespace;
  /** A namespace of that name, created by others meanwhile. */
  readonly existing: OpenNamespace | null;
}

/** @throws namespace-exists */
export function publish(txn: WriteTransaction, owner: string): void {
  txn.becauseOf('publish');
  const pairs = stagedBy(txn, owner).map((staged): Pair => {
    const { name } = partsOfStagedName(staged.name);
    return { name, staged, existing: txn.namespaces.find(name) };
  });
  checkMerged(pairs);
  for (const { name, staged, existing } of pairs) {
    if (existing !== null) merge(txn, existing, staged);
    // What is published stays as it is.
    const { schema, isExplicit } = existing ?? staged;
    txn.namespaces.rename(staged, name, { schema, isExplicit });
  }
}

export function dropStaged(txn: WriteTransaction, owner: string): void {
  for (const namespace of stagedBy(txn, owner)) txn.namespaces.drop(namespace);
}

function checkMerged(pairs: readonly Pair[]): void {
  let records = 0;
  for (const { name, existing } of pairs) {
    records += existing?.recordCount ?? 0;
    // Its records are not all its own.
    if (existing?.inherited !== undefined) throw fault('namespace-exists', { name });
    if (records > CAPABILITIES.mergedRecordsMax) throw fault('namespace-exists', { name });
  }
}

function merge(txn: WriteTransaction, existing: OpenNamespace, into: OpenNamespace): void {
  for (const record of [...txn.store.records.list(existing.namespaceId, 0)])
    txn.adopt(into, record, existing);
  txn.namespaces.drop(existing);
}

function stagedBy(txn: WriteTransaction, owner: string): readonly OpenNamespace[] {
  return [...txn.store.namespaces.listStaged()].flatMap(({ name }) =>
    partsOfStagedName(name).owner === owner ? (txn.namespaces.find(name) ?? []) : [],
  );
}
