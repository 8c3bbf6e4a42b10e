// Creates a branch, as steps of a transaction.
import { fault, invalid } from '../../../../domain/faults.ts';
import { BRANCH_DEPTH_MAX, BRANCH_PAST_CHANGES_MAX, BRANCHES_MAX } from '../../../../domain/limits.ts';
import type { NewBranch } from '../../../port/index-branches.ts';
import { type BranchNode, BY_SOURCE, WAS_PRESENT } from '../../storage/branches/branch-table.ts';
import { changesIn, type RecordedChange } from '../../storage/history/history-entries.ts';
import { shownBy } from '../../storage/namespace-table.ts';
import type { OpenNamespace } from '../open-namespaces.ts';
import type { WriteTransaction } from '../write-transaction.ts';

const NO_COUNTS = { byBranch: 0, bySource: 0, removed: 0 };
const RECORD_KINDS: ReadonlySet<string> = new Set(['upsert', 'update', 'delete']);

/**
 * @param fromSeq how far back the history may be used
 * @param nowMs milliseconds since 1970
 * @throws as `create` of IndexBranches
 */
export function createBranch(
  txn: WriteTransaction,
  { source, name, asOf }: NewBranch,
  { fromSeq, nowMs }: { readonly fromSeq: number; readonly nowMs: number },
): void {
  const base = txn.namespaces.find(source);
  if (base === null) throw fault('namespace-not-found');
  if (txn.namespaces.find(name) !== null) throw fault('namespace-exists', { name });
  checkNumbers(txn, base);
  const since = asOf === null || asOf === txn.seq - 1 ? [] : changesSince(txn, base, { seq: asOf, fromSeq });
  txn.becauseOf('branch');
  const branch = txn.namespaces.create(name, { schema: base.schema, isExplicit: true });
  const { namespaceId } = branch;
  const shown = shownBy(base);
  branch.inherited = { records: shown.records - addedSince(txn, base, since), bytes: shown.bytes };
  const node: BranchNode = {
    ...{ name, branchId: txn.namespaces.newNumber(), base: base.namespaceId, source },
    ...{ baseSeq: asOf ?? txn.seq - 1, createdMs: nowMs, counts: NO_COUNTS },
    ...{ isWhole: false, isDropped: false, hasSource: true },
  };
  txn.branches.put(namespaceId, node);
  takeBack(txn, { branch, node }, since);
}

function checkNumbers(txn: WriteTransaction, base: OpenNamespace): void {
  const { all } = txn.branches;
  if ([...all.values()].filter(({ isDropped }) => !isDropped).length >= BRANCHES_MAX)
    throw invalid(`the index has ${BRANCHES_MAX} branches, the most that it may have; merge or drop one`);
  if (txn.visible.owners(base.namespaceId).length > BRANCH_DEPTH_MAX)
    throw invalid(
      `'${base.name}' is a branch of a branch already, ${BRANCH_DEPTH_MAX} deep: make it whole first`,
    );
}

/** @throws invalid-argument where the history does not tell, or too much has changed */
function changesSince(
  { store, seq: now, history }: WriteTransaction,
  { namespaceId, name }: OpenNamespace,
  { seq, fromSeq }: { readonly seq: number; readonly fromSeq: number },
): readonly RecordedChange[] {
  if (seq >= now) throw invalid(`the last write of the index is ${now - 1}, got ${seq}`);
  history?.flush();
  if (history === null || store.history.state() === null)
    throw invalid('the index has no history of earlier moments');
  if (seq < fromSeq) throw invalid(`the history of the index reaches back to LSN ${fromSeq}`);
  if (store.history.firstEvent(name, seq) !== null)
    throw invalid(`namespace '${name}' was created or deleted after LSN ${seq}`);
  const changes: RecordedChange[] = [];
  for (const { header, value } of store.history.batches({ after: seq, namespaceId })) {
    if (!RECORD_KINDS.has(header.kind)) continue;
    changes.push(...changesIn(value));
    if (changes.length > BRANCH_PAST_CHANGES_MAX)
      throw invalid(
        `more than ${BRANCH_PAST_CHANGES_MAX} records have changed since; branch the present, and undo in the source`,
      );
  }
  return firstOfEach(changes, seq);
}

/** What each record was; null before for those that were not there. */
function firstOfEach(changes: readonly RecordedChange[], seq: number): readonly RecordedChange[] {
  const first = new Map<string, RecordedChange>();
  for (const { id, before } of changes) {
    const then = before !== null && before.seq <= seq ? before : null;
    if (then !== null || !first.has(id)) first.set(id, { id, before: then });
  }
  return [...first.values()];
}

/** By how many records the namespace has grown. */
function addedSince(txn: WriteTransaction, base: OpenNamespace, since: readonly RecordedChange[]): number {
  let added = 0;
  for (const { id, before } of since)
    added += (txn.find(base, id) === undefined ? 0 : 1) - (before === null ? 0 : 1);
  return added;
}

/** Gives the branch what the source has overwritten since. */
function takeBack(
  txn: WriteTransaction,
  { branch, node }: { readonly branch: OpenNamespace; readonly node: BranchNode },
  since: readonly RecordedChange[],
): void {
  const { namespaceId, name } = branch;
  for (const { id, before } of since) {
    txn.store.branches.mark(node.branchId, id, BY_SOURCE | (before === null ? 0 : WAS_PRESENT));
    txn.branches.count(namespaceId, { bySource: 1 });
    if (before !== null) txn.copyToBranch({ namespaceId, name }, before);
  }
}
