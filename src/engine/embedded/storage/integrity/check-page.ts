// Checks the structure of one page: everything that LMDB trusts when it follows offsets, lengths and the order of keys.
import {
  keyBytes,
  NODE_HEADER_BYTES,
  NodeFlag,
  nodeAt,
  nodeCount,
  nodeFlags,
  OVERFLOW_POINTER_BYTES,
  overflowOf,
  PAGE_HEADER_BYTES,
  PageFlag,
  pageFlags,
  TREE_HEAD_BYTES,
  valueAt,
  valueBytes,
} from './page-layout.ts';

const KEY_BYTES_MAX = 1_978;
/** A branch page with fewer children is never left by a commit. */
const CHILDREN_MIN = 2;

export interface ExpectedPage {
  readonly isLeaf: boolean;
  /** Keys of the list of free pages are u64 in the machine's byte order. */
  readonly hasIntegerKeys: boolean;
  /** True for the tree of the named databases, whose values are trees. */
  readonly holdsTrees: boolean;
}

/** @returns what is wrong; null when nothing is */
export function pageProblem(page: Buffer, expected: ExpectedPage): string | null {
  const { isLeaf } = expected;
  if (pageFlags(page) !== (isLeaf ? PageFlag.leaf : PageFlag.branch))
    return `it is no ${isLeaf ? 'leaf' : 'branch'} page`;
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  const end = page.length - PAGE_HEADER_BYTES;
  if (lower % 2 !== 0 || lower > upper || upper > end) return 'its free space has no valid bounds';
  const count = nodeCount(page);
  if (count < (isLeaf ? 1 : CHILDREN_MIN)) return `it has only ${count} entries`;
  for (let i = 0; i < count; i++) {
    const problem = nodeProblem(page, i, expected);
    if (problem !== null) return `entry ${i}: ${problem}`;
  }
  return null;
}

function nodeProblem(page: Buffer, index: number, expected: ExpectedPage): string | null {
  const { isLeaf, hasIntegerKeys } = expected;
  const node = nodeAt(page, index);
  const upper = PAGE_HEADER_BYTES + page.readUInt16LE(22);
  if (node < upper || node % 2 !== 0 || node + NODE_HEADER_BYTES > page.length)
    return 'it lies outside of the page';
  const length = keyBytes(page, node);
  if (valueAt(page, node) > page.length) return 'its key ends outside of the page';
  // The first key of a branch page is never compared, and may be empty.
  const isFirstOfBranch = !isLeaf && index === 0;
  if (!isFirstOfBranch && (length === 0 || length > KEY_BYTES_MAX || (hasIntegerKeys && length !== 8)))
    return `its key has ${length} bytes`;
  const first = isLeaf ? 0 : 1;
  if (index > first && compareKeys(page, nodeAt(page, index - 1), { page, node, hasIntegerKeys }) >= 0)
    return 'its key is not greater than the one before';
  return isLeaf ? valueProblem(page, node, expected) : null;
}

function valueProblem(page: Buffer, node: number, { holdsTrees }: ExpectedPage): string | null {
  const flags = nodeFlags(page, node);
  const stored = (flags & NodeFlag.overflow) !== 0 ? OVERFLOW_POINTER_BYTES : valueBytes(page, node);
  if (valueAt(page, node) + stored > page.length) return 'its value ends outside of the page';
  if (holdsTrees) return flags === NodeFlag.tree && stored === TREE_HEAD_BYTES ? null : 'it is no tree';
  if (flags === 0) return null;
  if (flags !== NodeFlag.overflow) return `it has the flags ${flags}`;
  const { pages } = overflowOf(page, node);
  const needed = Math.ceil((PAGE_HEADER_BYTES + valueBytes(page, node)) / page.length);
  // A shorter value that replaces one keeps its pages.
  return pages >= needed ? null : `its value of ${valueBytes(page, node)} bytes has ${pages} pages`;
}

interface KeyOfNode {
  readonly page: Buffer;
  readonly node: number;
  readonly hasIntegerKeys: boolean;
}

/** Compares the keys of two nodes, as LMDB does. */
export function compareKeys(one: Buffer, node: number, other: KeyOfNode): number {
  const start = node + NODE_HEADER_BYTES;
  const otherStart = other.node + NODE_HEADER_BYTES;
  if (other.hasIntegerKeys) {
    const difference = one.readBigUInt64LE(start) - other.page.readBigUInt64LE(otherStart);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  const end = start + keyBytes(one, node);
  return one.compare(other.page, otherStart, otherStart + keyBytes(other.page, other.node), start, end);
}
