// The branches of an index: what each one shares with its source, and which records either side has changed since.
import { parseOwnJson } from '../../../../domain/json.ts';
import { type Bytes, pageOf, rangeOf } from '../database.ts';
import { idKey, idOfKey, keyAfterPrefix, namespaceIdKey } from '../keys.ts';

/** Whether a record was there, on both sides alike, before either changed it. */
export const WAS_PRESENT = 1;
/** The branch has written or deleted it. */
export const BY_BRANCH = 2;
/** The source has. */
export const BY_SOURCE = 4;
/** It has expired in the branch, which has not written it since: that is no change of the branch. */
export const EXPIRED_IN_BRANCH = 8;
/** The branch shows its own record, or none, in place of that of its source. */
export const IS_HIDDEN = BY_BRANCH | EXPIRED_IN_BRANCH;

/** A branch as stored, by the number of its namespace. */
export interface BranchNode {
  readonly name: string;
  /** Of its marks: a namespace number that no namespace has. */
  readonly branchId: number;
  /** Number of the namespace that it was made of. */
  readonly base: number;
  /** The name of that one. */
  readonly source: string;
  /** The last write of the source that it shows. */
  readonly baseSeq: number;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  /** True once it has all records of its own, and shows none of its base any more. */
  readonly isWhole: boolean;
  /** True when its namespace was deleted, and branches of it still need it. */
  readonly isDropped: boolean;
  /** False once its source was deleted. */
  readonly hasSource: boolean;
  readonly counts: BranchCounts;
}

export interface BranchCounts {
  /** Marks of records that the branch has written or deleted. */
  readonly byBranch: number;
  readonly bySource: number;
  /** Of those by the branch, records that it has deleted. */
  readonly removed: number;
}

export interface BranchMark {
  readonly id: string;
  readonly flags: number;
}

export class BranchTable {
  readonly #nodes: Bytes;
  /** Branch id, record id -> flags. */
  readonly #marks: Bytes;

  constructor(nodes: Bytes, marks: Bytes) {
    this.#nodes = nodes;
    this.#marks = marks;
  }

  node(namespaceId: number): BranchNode | null {
    const value = this.#nodes.get(namespaceIdKey(namespaceId));
    return value === undefined ? null : parseOwnJson<BranchNode>(value.toString());
  }

  *nodes(): Generator<readonly [number, BranchNode]> {
    for (const { key, value } of this.#nodes.getRange({}))
      yield [key.readUInt32BE(0), parseOwnJson<BranchNode>(value.toString())];
  }

  /** Call within a transaction, like all methods that write. */
  putNode(namespaceId: number, node: BranchNode): void {
    this.#nodes.putSync(namespaceIdKey(namespaceId), Buffer.from(JSON.stringify(node)));
  }

  removeNode(namespaceId: number): void {
    this.#nodes.removeSync(namespaceIdKey(namespaceId));
  }

  /** 0 for a record that neither side has changed. */
  flags(branchId: number, id: string): number {
    return this.#marks.get(idKey(branchId, id))?.[0] ?? 0;
  }

  mark(branchId: number, id: string, flags: number): void {
    this.#marks.putSync(idKey(branchId, id), Buffer.of(flags));
  }

  unmark(branchId: number, id: string): void {
    this.#marks.removeSync(idKey(branchId, id));
  }

  /** In bytewise order of the ids, after `after` (exclusive). */
  *marks(branchId: number, after: string | null = null): Generator<BranchMark> {
    const range = pageOf(namespaceIdKey(branchId), after === null ? null : idKey(branchId, after));
    for (const { key, value } of this.#marks.getRange(range))
      yield { id: idOfKey(key), flags: value[0] ?? 0 };
  }

  /** Removes marks of a branch that is none any more. @returns whether none are left */
  purge(branchId: number, marksMax: number): boolean {
    const prefix = namespaceIdKey(branchId);
    const keys = Array.from(
      this.#marks.getKeys({ ...rangeOf(prefix, keyAfterPrefix(prefix)), limit: marksMax }),
      (key) => Buffer.from(key),
    );
    for (const key of keys) this.#marks.removeSync(key);
    return keys.length < marksMax;
  }
}
