// The records that a namespace shows: its own, and where it is a branch, those of its source that neither side has changed
// since (docs/decisions/064-branches.md).
import type { RecordParts } from '../../../port/record-codec.ts';
import type { RecordStore } from '../record-store.ts';
import type { LocatedRecord } from '../record-table.ts';
import { type BranchNode, IS_HIDDEN } from './branch-table.ts';

const WITHOUT_PARTS = { sparse: false, metadata: false };
/** Ids to hold in memory instead of a look-up for each record. */
const HIDDEN_IDS_MAX = 50_000;

/** A record, and the number of the namespace that has it. */
export interface VisibleRecord extends LocatedRecord {
  readonly owner: number;
}

export interface VisibleId {
  readonly id: string;
  readonly row: number;
  readonly owner: number;
}

/** An id that is stored for a namespace, or for one that it is a branch of. */
export interface WalkedId extends VisibleId {
  readonly isShown: boolean;
}

/** One of the namespaces that hold the records of another; the name is null for one that was deleted. */
export interface NamespacePart {
  readonly namespaceId: number;
  readonly name: string | null;
}

type Tables = Pick<RecordStore, 'records' | 'branches' | 'fields'>;

export class VisibleRecords {
  readonly #tables: Tables;
  readonly #nodeOf: (namespaceId: number) => BranchNode | null;

  /** @param nodeOf finds branches; by default in the store, each once, so that an object is for reads of one state */
  constructor(tables: Tables, nodeOf = remembering((namespaceId) => tables.branches.node(namespaceId))) {
    this.#tables = tables;
    this.#nodeOf = nodeOf;
  }

  /** The branch of this number, while it shows records of its base. */
  sharing(namespaceId: number): BranchNode | null {
    const node = this.#nodeOf(namespaceId);
    return node === null || node.isWhole ? null : node;
  }

  /** The namespace, the one that it is a branch of, and so on. */
  parts({ namespaceId, name }: NamespacePart): readonly NamespacePart[] {
    const node = this.sharing(namespaceId);
    if (node === null) return [{ namespaceId, name }];
    const base = { namespaceId: node.base, name: node.hasSource ? node.source : null };
    return [{ namespaceId, name }, ...this.parts(base)];
  }

  /** Numbers of the namespaces that hold records of this one. */
  owners(namespaceId: number): readonly number[] {
    return this.parts({ namespaceId, name: null }).map((part) => part.namespaceId);
  }

  /** @throws the table's `damage` */
  get(namespaceId: number, id: string, parts?: RecordParts): VisibleRecord | undefined {
    const { records, branches } = this.#tables;
    let seqMax = Number.POSITIVE_INFINITY;
    for (let owner = namespaceId; ; ) {
      const row = records.rowOfId(owner, id);
      if (row !== undefined) {
        const body = records.get(owner, row, parts);
        if (body?.id !== id)
          throw records.damage(`id ${JSON.stringify(id)} names row ${row}, which does not hold it`);
        return body.seq > seqMax ? undefined : { ...body, row, owner };
      }
      const node = this.sharing(owner);
      if (node === null || (branches.flags(node.branchId, id) & IS_HIDDEN) !== 0) return undefined;
      seqMax = Math.min(seqMax, node.baseSeq);
      owner = node.base;
    }
  }

  /** Those of a namespace that is no branch are in the order of their rows. */
  *list(namespaceId: number, parts?: RecordParts): Generator<VisibleRecord> {
    for (const record of this.walk(namespaceId, parts)) if (record !== null) yield record;
  }

  /** As `list`, with null for each record that a branch does not show of its base. */
  *walk(namespaceId: number, parts?: RecordParts): Generator<VisibleRecord | null> {
    for (const record of this.#tables.records.list(namespaceId, 0, { parts }))
      yield { ...record, owner: namespaceId };
    const node = this.sharing(namespaceId);
    if (node === null) return;
    const isHidden = this.#hiddenBy(namespaceId, node);
    for (const record of this.walk(node.base, parts)) {
      const isShown = record !== null && record.seq <= node.baseSeq && !isHidden(record.id);
      yield isShown ? record : null;
    }
  }

  /** Ids with the prefix in bytewise order, after `after` (exclusive). */
  *listIds(
    namespaceId: number,
    page: { readonly prefix: string; readonly after: string | null },
  ): Generator<VisibleId> {
    for (const each of this.walkIds(namespaceId, page)) if (each.isShown) yield each;
  }

  /** As `listIds`, with what a branch does not show of its base: whoever passes much of it can pause there. */
  *walkIds(
    namespaceId: number,
    page: { readonly prefix: string; readonly after: string | null },
  ): Generator<WalkedId> {
    const own = this.#ownIds(namespaceId, page)[Symbol.iterator]();
    const node = this.sharing(namespaceId);
    let next = own.next();
    if (node !== null)
      for (const inherited of this.walkIds(node.base, page)) {
        for (; next.done !== true && next.value.id < inherited.id; next = own.next()) yield next.value;
        if (next.done !== true && next.value.id === inherited.id) continue;
        yield inherited.isShown && !this.#shows(node, inherited)
          ? { ...inherited, isShown: false }
          : inherited;
      }
    for (; next.done !== true; next = own.next()) yield next.value;
  }

  /** Names of the metadata fields of its records, and of some that are gone. */
  fields(namespaceId: number): readonly string[] {
    const owners = this.owners(namespaceId);
    return [...new Set(owners.flatMap((owner) => [...this.#tables.fields.list(owner)]))];
  }

  *#ownIds(
    owner: number,
    { prefix, after }: { readonly prefix: string; readonly after: string | null },
  ): Generator<WalkedId> {
    for (const each of this.#tables.records.listIds(owner, prefix, after))
      yield { ...each, owner, isShown: true };
  }

  #shows({ branchId, baseSeq }: BranchNode, { id, row, owner }: VisibleId): boolean {
    const { records, branches } = this.#tables;
    if ((branches.flags(branchId, id) & IS_HIDDEN) !== 0) return false;
    const body = records.get(owner, row, WITHOUT_PARTS);
    return body !== undefined && body.seq <= baseSeq;
  }

  /** Tells which records of its base a branch does not show, since it has others or none in their place. */
  #hiddenBy(namespaceId: number, { branchId }: BranchNode): (id: string) => boolean {
    const { records, branches } = this.#tables;
    const hidden = new Set<string>();
    const isFull = () => hidden.size > HIDDEN_IDS_MAX;
    for (const { id } of records.listIds(namespaceId, '', null)) {
      hidden.add(id);
      if (isFull()) break;
    }
    if (!isFull())
      for (const { id, flags } of branches.marks(branchId)) {
        if ((flags & IS_HIDDEN) !== 0) hidden.add(id);
        if (isFull()) break;
      }
    if (!isFull()) return (id) => hidden.has(id);
    return (id) =>
      records.rowOfId(namespaceId, id) !== undefined || (branches.flags(branchId, id) & IS_HIDDEN) !== 0;
  }
}

function remembering(
  find: (namespaceId: number) => BranchNode | null,
): (namespaceId: number) => BranchNode | null {
  const known = new Map<number, BranchNode | null>();
  return (namespaceId) => {
    let node = known.get(namespaceId);
    if (node === undefined) {
      node = find(namespaceId);
      known.set(namespaceId, node);
    }
    return node;
  };
}
