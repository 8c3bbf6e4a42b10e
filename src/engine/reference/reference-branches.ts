// Branches of the reference model: plain copies, with the common state of each beside it. A record that a side has written
// or deleted is another object there than in the common state.
import { type ExpiryMoment, haveExpired } from '../../domain/expiry/time-to-live.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { BRANCHES_MAX } from '../../domain/limits.ts';
import type {
  Branch,
  BranchDifference,
  DifferencesPage,
  DifferencesRequest,
  MergeProgress,
  MergeRequest,
  NewBranch,
  SideChange,
  WholeProgress,
} from '../port/index-branches.ts';
import type { Lsn, StoredRecord } from '../port/reader-and-writer.ts';
import type { ReferenceContent } from './reference-content.ts';
import { compareAscii, type ReferenceNamespace } from './reference-namespace.ts';

interface Node {
  readonly branch: ReferenceNamespace;
  readonly source: ReferenceNamespace;
  /** What both sides had in common last. */
  readonly common: Map<string, StoredRecord>;
  readonly baseLsn: Lsn;
  readonly createdMs: number;
}

type Side = StoredRecord | undefined;

export class ReferenceBranches {
  readonly #content: ReferenceContent;
  readonly #nodes = new Map<string, Node>();

  constructor(content: ReferenceContent) {
    this.#content = content;
  }

  create({ source: from, name, asOf }: NewBranch, createdMs: number): Branch {
    const { namespaces, lsn } = this.#content;
    const source = this.#content.existing(from);
    if (namespaces.has(name)) throw fault('namespace-exists', { name });
    if (this.list().length >= BRANCHES_MAX) throw invalid(`the index has ${BRANCHES_MAX} branches`);
    if (asOf !== null && asOf !== lsn) throw invalid('the index has no history of earlier moments');
    const branch = this.#content.add(name, { schema: source.schema, isExplicit: true });
    for (const [id, record] of source.records) branch.records.set(id, record);
    const node = { branch, source, common: new Map(source.records), baseLsn: lsn, createdMs };
    this.#nodes.set(name, node);
    this.#content.lsn++;
    return describe(node);
  }

  list(): readonly Branch[] {
    return [...this.#nodes.keys()]
      .sort(compareAscii)
      .flatMap((name) => this.#find(name) ?? [])
      .map(describe);
  }

  differences({ branch: name, after, limit, expiry }: DifferencesRequest): DifferencesPage {
    const node = this.#existing(name);
    const ids = idsOf(node).filter((id) => after === null || id > after);
    const page = ids.slice(0, limit);
    const differences = page.flatMap((id): readonly BranchDifference[] => {
      const { branch, source, inBranch, inSource } = sidesOf(node, id, expiry);
      const isChanged = inBranch !== null || inSource !== null;
      const isLeftOut = !isChanged || isAlike(branch, source) || isGone([branch, source], expiry);
      return isLeftOut ? [] : [{ id, inBranch, inSource }];
    });
    return { differences, next: ids.length > page.length ? (page.at(-1) ?? null) : null };
  }

  merge({ branch: name, createdMs, onConflict, expiry }: MergeRequest): MergeProgress {
    const node = this.#existing(name);
    if (createdMs !== undefined && createdMs !== node.createdMs) throw fault('branch-not-found', { name });
    let [written, deleted, conflicts] = [0, 0, 0];
    for (const id of idsOf(node)) {
      const { branch, source, inBranch, inSource } = sidesOf(node, id, expiry);
      if (inBranch === null) continue;
      if (!isAlike(branch, source)) {
        if (inSource !== null && !isGone([branch, source], expiry)) conflicts++;
        if (inSource !== null && onConflict !== 'branch') continue;
        if (branch === undefined) deleted++;
        else written++;
      }
      for (const records of [node.source.records, node.branch.records, node.common]) {
        if (branch === undefined) records.delete(id);
        else records.set(id, branch);
      }
    }
    this.#content.lsn++;
    return { isDone: true, share: 1, written, deleted, conflicts };
  }

  /** Whether branches were made of the namespace. */
  hasBranches(namespace: ReferenceNamespace): boolean {
    return [...this.#nodes.keys()].some((name) => this.#find(name)?.source === namespace);
  }

  /** What the namespace is a branch of; null for one that is none. */
  sourceOf(namespace: ReferenceNamespace): ReferenceNamespace | null {
    const node = this.#find(namespace.name);
    return node?.branch === namespace ? node.source : null;
  }

  /** Call when an expired record was removed: in a branch, that is no deletion which a merge would carry out. */
  expired(namespace: ReferenceNamespace, id: string): void {
    const node = this.#nodes.get(namespace.name);
    if (node?.branch === namespace) node.common.delete(id);
  }

  makeWhole(name: string): WholeProgress {
    this.#existing(name);
    return { isDone: true, share: 1 };
  }

  /** Null where the branch or its source is gone: copies need no source. */
  #find(name: string): Node | null {
    const { namespaces } = this.#content;
    const node = this.#nodes.get(name);
    if (node === undefined || namespaces.get(name) !== node.branch) return null;
    return namespaces.get(node.source.name) === node.source ? node : null;
  }

  #existing(name: string): Node {
    const node = this.#find(name);
    if (node === null) throw fault('branch-not-found', { name });
    return node;
  }
}

function describe(node: Node): Branch {
  const { recordCount, sizeBytes } = node.branch.summary();
  const sides = idsOf(node).map((id) => sidesOf(node, id));
  return {
    ...{ name: node.branch.name, source: node.source.name, baseLsn: node.baseLsn, createdMs: node.createdMs },
    ...{
      state: 'whole',
      isShared: false,
      records: recordCount,
      ownRecords: recordCount,
      ownBytes: sizeBytes,
    },
    changedRecords: sides.filter(({ inBranch }) => inBranch !== null).length,
    deletedRecords: sides.filter(({ inBranch }) => inBranch === 'deleted').length,
    changedInSource: sides.filter(({ inSource }) => inSource !== null).length,
  };
}

/** Of all records of both sides, in order. */
function idsOf({ branch, source, common }: Node): readonly string[] {
  return [...new Set([...branch.records.keys(), ...source.records.keys(), ...common.keys()])].sort(
    compareAscii,
  );
}

/** What has expired in the branch is not left there by it. */
function sidesOf(node: Node, id: string, expiry?: ExpiryMoment) {
  const {
    branch: { records },
    source: { records: others },
    common,
  } = node;
  const [then, branch, source] = [common.get(id), records.get(id), others.get(id)];
  const inBranch = branch !== undefined && isGone([branch], expiry) ? null : changeOf(then, branch);
  return { branch, source, inBranch, inSource: changeOf(then, source) };
}

function changeOf(then: Side, now: Side): SideChange | null {
  if (now === then) return null;
  if (then === undefined) return 'added';
  return now === undefined ? 'deleted' : 'changed';
}

function isGone(sides: readonly Side[], expiry: ExpiryMoment | undefined): boolean {
  return expiry !== undefined && haveExpired(sides, expiry);
}

function isAlike(one: Side, other: Side): boolean {
  if (one === undefined || other === undefined) return one === other;
  const contents = ({ values, sparse, metadataJson }: StoredRecord) =>
    JSON.stringify([
      values === null ? null : [...values],
      sparse === null ? null : [[...sparse.indices], [...sparse.values]],
      metadataJson,
    ]);
  return contents(one) === contents(other);
}
