// The layout of LMDB's pages, data format 2, as the bundled library compiles it (lmdb-js 3, dependencies/lmdb/mdb.c).
// All numbers are little-endian: the engine runs on x64 and arm64.

export const META_PAGES = 2;
export const PAGE_HEADER_BYTES = 24;
export const NODE_HEADER_BYTES = 8;
/** The root of an empty tree. */
export const NO_PAGE = -1;

export const PageFlag = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
export const NodeFlag = { overflow: 1, tree: 2 } as const;

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const HALF = 2 ** 32;

/** A tree as its parent or a meta page describes it. */
export interface TreeHead {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** NO_PAGE for an empty tree. */
  readonly root: number;
}

/** LMDB's cursors hold so many levels. */
export const TREE_DEPTH_MAX = 32;
export const TREE_HEAD_BYTES = 48;

export interface MetaPage {
  readonly pageBytes: number;
  readonly mapBytes: number;
  readonly lastPage: number;
  readonly txnId: number;
  readonly freePages: TreeHead;
  readonly main: TreeHead;
}

/** A u64 as a number; more than 2^53 loses its low bits, which no valid value has. */
export function u64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + HALF * bytes.readUInt32LE(at + 4);
}

/** Like `u64`, for page numbers, of which the highest means none. */
function root(bytes: Buffer, at: number): number {
  return bytes.readBigInt64LE(at) === -1n ? NO_PAGE : u64(bytes, at);
}

export function readTreeHead(bytes: Buffer, at: number): TreeHead {
  return {
    depth: bytes.readUInt16LE(at + 6),
    branchPages: u64(bytes, at + 8),
    leafPages: u64(bytes, at + 16),
    overflowPages: u64(bytes, at + 24),
    entries: u64(bytes, at + 32),
    root: root(bytes, at + 40),
  };
}

/** Persistent flags of the databases of the engine: plain byte order, no duplicates. */
export function treeFlags(bytes: Buffer, at: number): number {
  return bytes.readUInt16LE(at + 4);
}

/** Bytes of a meta page that are read. */
export const META_BYTES = PAGE_HEADER_BYTES + 144;

const ADDRESS = PAGE_HEADER_BYTES + 8;
const MAP_BYTES = PAGE_HEADER_BYTES + 16;
const FREE_TREE = PAGE_HEADER_BYTES + 24;
const MAIN_TREE = FREE_TREE + TREE_HEAD_BYTES;
const LAST_PAGE = MAIN_TREE + TREE_HEAD_BYTES;
const TXN_ID = LAST_PAGE + 8;
const INTEGER_KEYS = 8;

/** @returns null when this is no meta page of the format */
export function readMetaPage(bytes: Buffer): MetaPage | null {
  if (bytes.length < META_BYTES) return null;
  const isMeta =
    bytes.readUInt16LE(18) === PageFlag.meta &&
    bytes.readUInt32LE(PAGE_HEADER_BYTES) === MAGIC &&
    bytes.readUInt32LE(PAGE_HEADER_BYTES + 4) === DATA_VERSION &&
    u64(bytes, ADDRESS) === 0 &&
    (treeFlags(bytes, FREE_TREE) & INTEGER_KEYS) !== 0 &&
    treeFlags(bytes, MAIN_TREE) === 0;
  if (!isMeta) return null;
  return {
    // The word that other trees have for the length of fixed keys.
    pageBytes: bytes.readUInt32LE(FREE_TREE),
    mapBytes: u64(bytes, MAP_BYTES),
    freePages: readTreeHead(bytes, FREE_TREE),
    main: readTreeHead(bytes, MAIN_TREE),
    lastPage: u64(bytes, LAST_PAGE),
    txnId: u64(bytes, TXN_ID),
  };
}

export interface PageHeader {
  readonly number: number;
  readonly txnId: number;
  readonly flags: number;
}

export function pageNumber(page: Buffer): number {
  return u64(page, 0);
}

export function pageTxnId(page: Buffer): number {
  return u64(page, 8);
}

export function pageFlags(page: Buffer): number {
  return page.readUInt16LE(18);
}

/** Pages of the run that an overflow page begins. */
export function overflowPages(page: Buffer): number {
  return page.readUInt32LE(20);
}

/** Number of nodes of a branch or leaf page. */
export function nodeCount(page: Buffer): number {
  return page.readUInt16LE(20) >>> 1;
}

/** Where a node begins in its page. */
export function nodeAt(page: Buffer, index: number): number {
  return PAGE_HEADER_BYTES + page.readUInt16LE(PAGE_HEADER_BYTES + 2 * index);
}

/** The page that a node of a branch page points to. */
export function childPage(page: Buffer, node: number): number {
  return page.readUInt32LE(node) + HALF * page.readUInt16LE(node + 4);
}

/** Length of the value of a node of a leaf page, also where the value is on overflow pages. */
export function valueBytes(page: Buffer, node: number): number {
  return page.readUInt32LE(node);
}

export function nodeFlags(page: Buffer, node: number): number {
  return page.readUInt16LE(node + 4);
}

export function keyBytes(page: Buffer, node: number): number {
  return page.readUInt16LE(node + 6);
}

/** Where the value of a node begins, or what says where it is. */
export function valueAt(page: Buffer, node: number): number {
  return node + NODE_HEADER_BYTES + keyBytes(page, node);
}

export const OVERFLOW_POINTER_BYTES = 24;

/** The run of overflow pages that holds the value of a node. */
export function overflowOf(page: Buffer, node: number): { readonly first: number; readonly pages: number } {
  const at = valueAt(page, node);
  return { first: u64(page, at), pages: u64(page, at + 16) };
}
