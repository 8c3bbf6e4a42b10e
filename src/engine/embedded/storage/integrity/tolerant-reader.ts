// Reads the entries of an LMDB file by system calls, without LMDB, and reads on after damage: what is damaged is reported
// and left out. For checks, and for saving what is left of a damaged index.
//
// Pages that only a damaged page leads to are still found where the checksums know them: they say which pages were in
// use, and that these are unchanged.
import { crc32 } from 'node:zlib';
import { pageProblem } from './check-page.ts';
import { FileDamage } from './damage.ts';
import type { PageFile } from './page-file.ts';
import {
  childPage,
  keyBytes,
  META_PAGES,
  NO_PAGE,
  NODE_HEADER_BYTES,
  NodeFlag,
  nodeAt,
  nodeCount,
  nodeFlags,
  overflowOf,
  overflowPages,
  PAGE_HEADER_BYTES,
  PageFlag,
  pageFlags,
  pageNumber,
  pageTxnId,
  readTreeHead,
  TREE_DEPTH_MAX,
  TREE_HEAD_BYTES,
  type TreeHead,
  valueAt,
  valueBytes,
} from './page-layout.ts';
import type { PageSums } from './page-sums.ts';

export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface TolerantReaderOptions {
  /** Null when there are none. */
  readonly sums: PageSums | null;
  /** Called with what is damaged and where, such as "page 12: its checksum differs". */
  readonly onDamage: (what: string) => void;
}

export class TolerantReader {
  /** The named trees, by name; those that a damaged page described are missing. */
  readonly trees: ReadonlyMap<string, TreeHead>;
  readonly #file: PageFile;
  readonly #sums: PageSums | null;
  readonly #onDamage: (what: string) => void;
  readonly #seen: Uint8Array;
  readonly #end: number;
  /** True when a page was damaged that leads to others. */
  #hasLostPages = false;
  /** Pages read so far. */
  pages = 0;

  constructor(file: PageFile, { sums, onDamage }: TolerantReaderOptions) {
    this.#file = file;
    this.#sums = sums;
    this.#onDamage = onDamage;
    this.#end = Math.max(file.meta.lastPage + 1, sums?.pages ?? 0);
    this.#seen = new Uint8Array((this.#end + 7) >>> 3);
    if (sums !== null && sums.txnId > file.meta.txnId)
      onDamage(
        `its last commit is ${file.meta.txnId}, although commit ${sums.txnId} was made: it is an older copy`,
      );
    this.trees = this.#readTrees();
  }

  /** The entries of a named tree, in the order of their keys. Call once for each tree. */
  *entries(name: string): Generator<Entry> {
    const head = this.trees.get(name);
    if (head !== undefined) yield* this.#tree(name, head);
  }

  /**
   * Entries of leaf pages that nothing leads to, of any tree: some may be of a state shortly before the last commit.
   * Call after all trees were read.
   */
  *strays(): Generator<Entry> {
    const sums = this.#sums;
    if (!this.#hasLostPages || sums === null) return;
    // Sums that were extended also have pages that were freed since.
    const free = this.#freePages();
    for (let number = META_PAGES; number < sums.pages; number++) {
      if (this.#wasSeen(number) || free.has(number)) continue;
      const page = this.#read(number, 1);
      if (page === null || !sums.covers(number, pageTxnId(page))) continue;
      const isLeaf = pageNumber(page) === number && pageFlags(page) === PageFlag.leaf;
      if (!isLeaf || !sums.matches(number, crc32(page))) continue;
      if (pageProblem(page, { isLeaf: true, hasIntegerKeys: false, holdsTrees: false }) === null)
        yield* this.#leaf(page, number);
    }
  }

  /** The list of free pages: lists of numbers, in which a negative one is the length of a run that begins at the next. */
  #freePages(): ReadonlySet<number> {
    const free = new Set<number>();
    const { root, depth } = this.#file.meta.freePages;
    if (root === NO_PAGE || depth < 1 || depth > TREE_DEPTH_MAX) return free;
    const at = { levels: depth, holdsTrees: false, hasIntegerKeys: true, name: 'free pages' };
    for (const { value } of this.#subtree(root, at)) {
      const numbers = Array.from({ length: Math.floor(value.length / 8) }, (_, i) =>
        Number(value.readBigInt64LE(8 * i)),
      );
      for (let i = 1; i <= (numbers[0] ?? 0) && i < numbers.length; i++) {
        const length = Math.max(1, -(numbers[i] ?? 0));
        if ((numbers[i] ?? 0) < 0) i++;
        const first = numbers[i] ?? 0;
        for (let page = first; page < Math.min(first + length, this.#end); page++) free.add(page);
      }
    }
    return free;
  }

  #readTrees(): Map<string, TreeHead> {
    const trees = new Map<string, TreeHead>();
    const { main } = this.#file.meta;
    if (main.root === NO_PAGE) {
      this.#hasLostPages = true;
      return trees;
    }
    for (const { key, value } of this.#tree('databases', main, true))
      trees.set(key.toString('latin1').replace(/\0$/, ''), readTreeHead(value, 0));
    return trees;
  }

  *#tree(name: string, { root, depth }: TreeHead, holdsTrees = false): Generator<Entry> {
    if (root === NO_PAGE) return;
    if (depth < 1 || depth > TREE_DEPTH_MAX) {
      this.#lose(`its tree '${name}' has no valid depth`);
      return;
    }
    yield* this.#subtree(root, { levels: depth, holdsTrees, hasIntegerKeys: false, name });
  }

  *#subtree(number: number, at: At): Generator<Entry> {
    const isLeaf = at.levels === 1;
    const page = this.#take(number, at.name);
    const problem = page === null ? null : pageProblem(page, { isLeaf, ...at });
    if (page === null || problem !== null) {
      if (problem !== null) this.#onDamage(`page ${number}, of '${at.name}': ${problem}`);
      this.#hasLostPages ||= !isLeaf || at.holdsTrees;
      return;
    }
    if (isLeaf) {
      yield* this.#leaf(page, number);
      return;
    }
    const below = { ...at, levels: at.levels - 1 };
    for (let slot = 0; slot < nodeCount(page); slot++)
      yield* this.#subtree(childPage(page, nodeAt(page, slot)), below);
  }

  *#leaf(page: Buffer, number: number): Generator<Entry> {
    for (let i = 0; i < nodeCount(page); i++) {
      const node = nodeAt(page, i);
      const start = node + NODE_HEADER_BYTES;
      const key = page.subarray(start, start + keyBytes(page, node));
      const value = this.#value(page, node);
      if (value === null) this.#onDamage(`page ${number}: the value of entry ${i} is on a damaged page`);
      else yield { key, value };
    }
  }

  /** Null when it is on pages that are damaged. */
  #value(page: Buffer, node: number): Buffer | null {
    const bytes = valueBytes(page, node);
    if (nodeFlags(page, node) !== NodeFlag.overflow) {
      const at = valueAt(page, node);
      return page.subarray(at, at + (nodeFlags(page, node) === NodeFlag.tree ? TREE_HEAD_BYTES : bytes));
    }
    const { first, pages } = overflowOf(page, node);
    if (first < META_PAGES || pages < 1 || first + pages > this.#end) return null;
    const run = this.#read(first, pages);
    if (run === null || pageFlags(run) !== PageFlag.overflow || overflowPages(run) !== pages) return null;
    if (this.#problem(run, first) !== null) return null;
    for (let i = 0; i < pages; i++) this.#wasSeen(first + i, true);
    return run.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + bytes);
  }

  /** A page that a tree leads to; null, and reported, when it is damaged. */
  #take(number: number, name: string): Buffer | null {
    if (number < META_PAGES || number >= this.#end) {
      this.#lose(`its tree '${name}' names page ${number}, which it does not have`);
      return null;
    }
    if (this.#wasSeen(number, true)) {
      this.#lose(`page ${number} is used twice`);
      return null;
    }
    const page = this.#read(number, 1);
    const problem = page === null ? null : this.#problem(page, number);
    if (problem !== null) this.#onDamage(`page ${number}, of '${name}': ${problem}`);
    return problem === null ? page : null;
  }

  /** What is wrong with the header or the sums of a page, or of a value on several. */
  #problem(bytes: Buffer, number: number): string | null {
    const txnId = pageTxnId(bytes);
    if (pageNumber(bytes) !== number) return `it says it is page ${pageNumber(bytes)}`;
    if (txnId > Math.max(this.#file.meta.txnId, this.#sums?.txnId ?? 0))
      return 'it is of a commit that was never made';
    const sums = this.#sums;
    if (sums?.covers(number, txnId) !== true)
      // A page of an earlier commit that was in use would have a sum.
      return sums !== null && txnId <= sums.txnId && sums.txnId <= this.#file.meta.txnId
        ? 'it is of another commit than expected'
        : null;
    const { pageBytes } = this.#file.meta;
    for (let at = 0; at < bytes.length; at += pageBytes)
      if (!sums.matches(number + at / pageBytes, crc32(bytes.subarray(at, at + pageBytes))))
        return 'it does not have its checksum';
    return null;
  }

  #read(number: number, pages: number): Buffer | null {
    this.pages += pages;
    try {
      return this.#file.copy(number, pages);
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      this.#onDamage(`page ${number} cannot be read`);
      return null;
    }
  }

  #lose(what: string): void {
    this.#onDamage(what);
    this.#hasLostPages = true;
  }

  /** Whether a page was met before; notes it. */
  #wasSeen(number: number, isNow = false): boolean {
    const bit = 1 << (number & 7);
    const byte = this.#seen[number >>> 3] ?? 0;
    if (isNow) this.#seen[number >>> 3] = byte | bit;
    return (byte & bit) !== 0;
  }
}

interface At {
  /** Levels from this page down to the leaves, both included. */
  readonly levels: number;
  readonly holdsTrees: boolean;
  readonly hasIntegerKeys: boolean;
  readonly name: string;
}
