// The namespaces of an index as they were after a write.
import type { NamespaceSummary } from '../../../port/reader-and-writer.ts';
import { changesIn } from '../../storage/history/history-entries.ts';
import { type NamespaceRow, shownBy } from '../../storage/namespace-table.ts';
import type { PastState } from './past-records.ts';

/** Where a namespace was: its records are under the same number, whether or not it was dropped since. */
export function pastNamespace({ store, seq }: PastState, name: string): NamespaceRow | null {
  const next = store.history.firstEvent(name, seq);
  if (next === null) return store.namespaces.get(name);
  // A branch that was deleted is lost, with what it showed of its source.
  return next.kind === 'delete-namespace' && next.row.inherited === undefined ? next.row : null;
}

/** Those with a prefix, in bytewise order of their stored names. */
export function pastNamespaces(state: PastState, prefix: string): readonly NamespaceSummary[] {
  const { store, seq } = state;
  const names = new Set(Array.from(store.namespaces.list(prefix, null), ({ name }) => name));
  for (const name of store.history.names({ after: seq })) if (name.startsWith(prefix)) names.add(name);
  const added = recordsAdded(state, null);
  return [...names].sort().flatMap((name) => {
    const row = pastNamespace(state, name);
    return row === null ? [] : [summaryOf(name, row, added.get(row.namespaceId) ?? 0)];
  });
}

export function pastSummary(state: PastState, name: string): NamespaceSummary | null {
  const row = pastNamespace(state, name);
  if (row === null) return null;
  return summaryOf(name, row, recordsAdded(state, row.namespaceId).get(row.namespaceId) ?? 0);
}

/** By how many records namespaces have grown since. @param namespaceId only this one; null for all */
function recordsAdded(
  { store, seq }: Pick<PastState, 'store' | 'seq'>,
  namespaceId: number | null,
): ReadonlyMap<number, number> {
  const added = new Map<number, number>();
  const range = namespaceId === null ? { after: seq } : { after: seq, namespaceId };
  for (const batch of store.history.batches(range)) {
    const { kind, cause, count } = batch.header;
    let change = 0;
    // Records that a published namespace takes over are counted until theirs is dropped.
    if (kind === 'delete' && cause !== 'publish') change = -count;
    if (kind === 'upsert') for (const { before } of changesIn(batch.value)) if (before === null) change++;
    added.set(batch.namespaceId, (added.get(batch.namespaceId) ?? 0) + change);
  }
  return added;
}

/** Sizes are estimates: the history does not have those of records that were added since. */
function summaryOf(name: string, row: NamespaceRow, added: number): NamespaceSummary {
  const shown = shownBy(row);
  const count = shown.records - added;
  const bytes = shown.records === 0 ? 0 : Math.round((shown.bytes * count) / shown.records);
  return {
    ...{ number: row.namespaceId, name, schema: row.schema, isExplicit: row.isExplicit },
    ...{ recordCount: count, sizeBytes: bytes },
  };
}
