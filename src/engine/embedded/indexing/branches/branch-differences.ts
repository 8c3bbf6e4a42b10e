// Tells which records of a branch and its source differ, and who has changed them.
import { type ExpiryMoment, haveExpired } from '../../../../domain/expiry/time-to-live.ts';
import { fault, invalid } from '../../../../domain/faults.ts';
import type {
  Branch,
  BranchDifference,
  DifferencesPage,
  DifferencesRequest,
  MergeRequest,
  SideChange,
} from '../../../port/index-branches.ts';
import { type BranchNode, BY_BRANCH, BY_SOURCE, WAS_PRESENT } from '../../storage/branches/branch-table.ts';
import type { VisibleRecord, VisibleRecords } from '../../storage/branches/visible-records.ts';
import { type NamespaceRow, shownBy } from '../../storage/namespace-table.ts';
import type { RecordStore } from '../../storage/record-store.ts';

/** A branch, and where it is. */
export interface FoundBranch {
  readonly namespaceId: number;
  readonly node: BranchNode;
}

/** Both sides of a record as they are now. */
export interface Sides {
  readonly branch: VisibleRecord | undefined;
  readonly source: VisibleRecord | undefined;
}

export interface ComparedParts {
  readonly store: RecordStore;
  readonly visible: VisibleRecords;
  /** Reads the vector of a row; null on sparse indexes. */
  readonly valuesOf: (row: number) => Float32Array | null;
}

/** @throws branch-not-found */
export function findBranch(store: RecordStore, name: string): FoundBranch {
  const row = store.namespaces.get(name);
  const node = row === null ? null : store.branches.node(row.namespaceId);
  if (row === null || node === null) throw fault('branch-not-found', { name });
  return { namespaceId: row.namespaceId, node };
}

/**
 * @param createdMs when it was created, where another one of the name is not meant
 * @throws branch-not-found; invalid-argument where its source was deleted
 */
export function findMergeable(
  store: RecordStore,
  { branch: name, createdMs }: Pick<MergeRequest, 'branch' | 'createdMs'>,
): FoundBranch {
  const found = findBranch(store, name);
  if (createdMs !== undefined && found.node.createdMs !== createdMs)
    throw fault('branch-not-found', { name });
  if (!found.node.hasSource)
    throw invalid(`namespace '${found.node.source}', which '${name}' is a branch of, was deleted`);
  return found;
}

export function branchOf(name: string, row: NamespaceRow, node: BranchNode): Branch {
  const { source, baseSeq, createdMs, hasSource, isWhole, counts } = node;
  return {
    ...{ name, source, baseLsn: baseSeq, createdMs, records: shownBy(row).records },
    ...{ state: !hasSource ? 'detached' : isWhole ? 'whole' : 'shared', isShared: !isWhole },
    ...{ ownRecords: row.recordCount, ownBytes: row.sizeBytes },
    ...{ changedRecords: counts.byBranch, deletedRecords: counts.removed, changedInSource: counts.bySource },
  };
}

export function sidesOf(visible: VisibleRecords, { namespaceId, node }: FoundBranch, id: string): Sides {
  return { branch: visible.get(namespaceId, id), source: visible.get(node.base, id) };
}

/** Whether both sides are the same. */
export function isAlike({ branch, source }: Sides, valuesOf: ComparedParts['valuesOf']): boolean {
  if (branch === undefined || source === undefined) return branch === source;
  if (branch.row === source.row && branch.owner === source.owner) return true;
  if (branch.metadataJson !== source.metadataJson) return false;
  const { sparse: one } = branch;
  const { sparse: other } = source;
  if ((one === null) !== (other === null)) return false;
  if (
    one !== null &&
    other !== null &&
    !(isEqual(one.indices, other.indices) && isEqual(one.values, other.values))
  )
    return false;
  if (branch.rowSum !== source.rowSum) return false;
  const [values, others] = [valuesOf(branch.row), valuesOf(source.row)];
  return values === null || others === null || isEqual(values, others);
}

/** What the sides have done to a record. What has expired in the branch is not left there by it. */
export function changesOf(
  flags: number,
  { branch, source }: Sides,
  expiry: ExpiryMoment | undefined,
): Omit<BranchDifference, 'id'> {
  const wasPresent = (flags & WAS_PRESENT) !== 0;
  const isByBranch = (flags & BY_BRANCH) !== 0 && !(expiry && haveExpired([branch], expiry));
  return {
    inBranch: isByBranch ? changeOf(wasPresent, branch !== undefined) : null,
    inSource: (flags & BY_SOURCE) === 0 ? null : changeOf(wasPresent, source !== undefined),
  };
}

export function differencesIn(
  { store, visible, valuesOf }: ComparedParts,
  { branch: name, after, limit, expiry }: DifferencesRequest,
): DifferencesPage {
  const found = findMergeable(store, { branch: name });
  const differences: BranchDifference[] = [];
  let looked = 0;
  let last: string | null = null;
  for (const { id, flags } of store.branches.marks(found.node.branchId, after)) {
    if (looked++ === limit) return { differences, next: last };
    last = id;
    const sides = sidesOf(visible, found, id);
    if (expiry !== undefined && haveExpired([sides.branch, sides.source], expiry)) continue;
    const changes = changesOf(flags, sides, expiry);
    const isChanged = changes.inBranch !== null || changes.inSource !== null;
    if (isChanged && !isAlike(sides, valuesOf)) differences.push({ id, ...changes });
  }
  return { differences, next: null };
}

function changeOf(was: boolean, is: boolean): SideChange | null {
  if (was) return is ? 'changed' : 'deleted';
  return is ? 'added' : null;
}

function isEqual(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (!Object.is(one[i], other[i])) return false;
  return true;
}
