// Verifies the pages of an LMDB file before LMDB maps them: LMDB trusts what it reads, and a damaged page ends the
// process. Walks every tree level by level, each level in the order of the file.
//
// A page that the checksums cover is compared with its sum. A page written since then is checked in structure: bounds,
// order of keys, page numbers, counts. Pages are never changed in place, so whoever points to a page written later has
// been written later too: a page without a sum below one with a sum is damaged.
import { crc32 } from 'node:zlib';
import { compareKeys, type ExpectedPage, pageProblem } from './check-page.ts';
import type { PageFile } from './page-file.ts';
import {
  childPage,
  META_PAGES,
  NO_PAGE,
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
  type TreeHead,
  treeFlags,
  u64,
  valueAt,
  valueBytes,
} from './page-layout.ts';
import { PageSums } from './page-sums.ts';

/** Pages visited between two yields. */
const STEP_PAGES = 64;

export interface ScanOptions {
  /** Null when there are none. */
  readonly sums: PageSums | null;
  /**
   * True to check only what was written since the sums were made, and to extend them. Of other pages that it points to,
   * the header is looked at and no sum is computed: theirs stay for the next whole scan.
   */
  readonly isIncremental?: boolean;
}

export interface ScanResult {
  /** The sums of all pages in use. */
  readonly sums: PageSums;
  /** Pages visited. */
  readonly pages: number;
}

/** Pages of one level of a tree, with whoever points to them. */
interface Level {
  readonly numbers: number[];
  /** Index of the parent in `parents`. */
  readonly parentOf: number[];
  readonly slotOf: number[];
  readonly parents: readonly Parent[];
}

interface Parent {
  readonly page: Buffer;
  readonly isCovered: boolean;
  /** Its own parent and the slot there. */
  readonly above: { readonly parent: Parent; readonly slot: number } | null;
}

interface Tree extends ExpectedTree {
  readonly head: TreeHead;
  readonly name: string;
  /** True when who describes the tree is covered by a sum. */
  readonly isCovered: boolean;
}

type ExpectedTree = Pick<ExpectedPage, 'hasIntegerKeys' | 'holdsTrees'>;

/**
 * Visits the pages of the newest commit; yields the number of pages visited so far, so that others can run meanwhile.
 * @throws FileDamage
 */
export function* scanPages(file: PageFile, options: ScanOptions): Generator<number, ScanResult> {
  const scan = new Scan(file, options);
  const { main, freePages } = file.meta;
  yield* scan.tree({
    name: 'free pages',
    head: freePages,
    hasIntegerKeys: true,
    holdsTrees: false,
    isCovered: false,
  });
  yield* scan.tree({
    name: 'databases',
    head: main,
    hasIntegerKeys: false,
    holdsTrees: true,
    isCovered: false,
  });
  for (const tree of scan.named) yield* scan.tree(tree);
  return { sums: scan.made, pages: scan.pages };
}

/** Runs a scan to its end. */
export function scanAll(file: PageFile, options: ScanOptions): ScanResult {
  const steps = scanPages(file, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

class Scan {
  readonly named: Tree[] = [];
  readonly made: PageSums;
  pages = 0;
  readonly #file: PageFile;
  readonly #sums: PageSums | null;
  readonly #isIncremental: boolean;
  readonly #end: number;
  readonly #used: Uint8Array;

  constructor(file: PageFile, { sums, isIncremental = false }: ScanOptions) {
    const { lastPage, txnId } = file.meta;
    this.#file = file;
    this.#sums = sums;
    this.#isIncremental = isIncremental && sums !== null;
    this.#end = lastPage + 1;
    this.#used = new Uint8Array((this.#end + 7) >>> 3);
    if (sums !== null && sums.txnId > txnId)
      throw file.damage(
        `its last commit is ${txnId}, although commit ${sums.txnId} was made: it is an older copy`,
      );
    this.made =
      sums !== null && this.#isIncremental ? sums.extended(txnId, this.#end) : new PageSums(txnId, this.#end);
  }

  *tree(tree: Tree): Generator<number, void> {
    const { head, name, isCovered } = tree;
    const counted = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    if (head.root === NO_PAGE) {
      if (head.depth !== 0 || head.entries !== 0)
        throw this.#file.damage(`its tree '${name}' has lost its root`);
      return;
    }
    if (head.depth < 1 || head.depth > TREE_DEPTH_MAX)
      throw this.#file.damage(`its tree '${name}' has no valid depth`);
    const whole = { isWhole: !this.#isIncremental };
    const above: Parent = { page: Buffer.alloc(0), isCovered, above: null };
    let level: Level = { numbers: [head.root], parentOf: [0], slotOf: [-1], parents: [above] };
    for (let depth = 1; depth <= head.depth; depth++) {
      const isLeaf = depth === head.depth;
      const next: Level & { parents: Parent[] } = { numbers: [], parentOf: [], slotOf: [], parents: [] };
      yield* this.#level(level, { ...tree, isLeaf }, { counted, next, whole });
      if (isLeaf) counted.leafPages += level.numbers.length;
      else counted.branchPages += level.numbers.length;
      level = next;
    }
    // An incremental scan does not see them all.
    for (const what of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const)
      if (whole.isWhole && counted[what] !== head[what])
        throw this.#file.damage(`its tree '${name}' has ${counted[what]} ${what}, expected ${head[what]}`);
  }

  *#level(level: Level, expected: Tree & ExpectedPage, into: Found): Generator<number, void> {
    const order = Uint32Array.from(level.numbers, (_, i) => i).sort(
      (a, b) => (level.numbers[a] ?? 0) - (level.numbers[b] ?? 0),
    );
    for (let first = 0; first < order.length; first += STEP_PAGES) {
      const step = order.subarray(first, first + STEP_PAGES);
      const numbers = Array.from(step, (i) => level.numbers[i] ?? 0);
      for (const number of numbers) this.#use(number, 1);
      if (!this.#isIncremental) this.#file.readAhead(numbers[0] ?? 0);
      this.#file.visit(numbers, (page, at) =>
        this.#page(page, { level, index: step[at] ?? 0 }, expected, into),
      );
      this.pages += step.length;
      yield this.pages;
    }
  }

  #page(page: Buffer, { level, index }: Position, expected: Tree & ExpectedPage, into: Found): void {
    const number = level.numbers[index] ?? 0;
    const parent = level.parents[level.parentOf[index] ?? 0];
    if (parent === undefined) throw new Error('a page has no parent');
    const slot = level.slotOf[index] ?? 0;
    const isCovered = this.#isCovered(page, number, parent.isCovered);
    if (isCovered && this.#isIncremental) return;
    this.#sum(page, { number, pages: 1, isCovered });
    if (!isCovered) {
      const problem = pageProblem(page, expected) ?? rangeProblem(page, { parent, slot }, expected);
      if (problem !== null) throw this.#file.damage(`page ${number}: ${problem}`);
    } else if (pageFlags(page) !== (expected.isLeaf ? PageFlag.leaf : PageFlag.branch))
      throw this.#file.damage(`page ${number} is at the wrong depth`);
    if (expected.isLeaf) this.#leaf(page, isCovered, { expected, counted: into.counted });
    else this.#branch(page, { isCovered, above: { parent, slot } }, into.next);
  }

  #branch(page: Buffer, { isCovered, above }: Omit<Parent, 'page'>, next: Found['next']): void {
    const parent = next.parents.push({ page: Buffer.from(page), isCovered, above }) - 1;
    const count = nodeCount(page);
    for (let slot = 0; slot < count; slot++) {
      next.numbers.push(childPage(page, nodeAt(page, slot)));
      next.parentOf.push(parent);
      next.slotOf.push(slot);
    }
  }

  #leaf(page: Buffer, isCovered: boolean, { expected, counted }: { expected: Tree; counted: Counted }): void {
    const count = nodeCount(page);
    counted.entries += count;
    for (let i = 0; i < count; i++) {
      const node = nodeAt(page, i);
      const flags = nodeFlags(page, node);
      if (flags === 0) {
        if (expected.hasIntegerKeys) this.#freeList(page, valueAt(page, node), valueBytes(page, node));
      } else if (expected.holdsTrees) this.#named(page, node, isCovered);
      else if (flags === NodeFlag.overflow) {
        const { first, pages } = overflowOf(page, node);
        counted.overflowPages += pages;
        this.#overflow(first, pages, isCovered);
        if (expected.hasIntegerKeys) {
          const value = this.#file.copy(first, pages);
          this.#freeList(value, PAGE_HEADER_BYTES, valueBytes(page, node));
        }
      }
    }
  }

  #named(page: Buffer, node: number, isCovered: boolean): void {
    const at = valueAt(page, node);
    const name = page.toString('latin1', node + 8, at).replace(/\0$/, '');
    if (treeFlags(page, at) !== 0)
      throw this.#file.damage(`its tree '${name}' has flags of another kind of tree`);
    this.named.push({
      name,
      head: readTreeHead(page, at),
      hasIntegerKeys: false,
      holdsTrees: false,
      isCovered,
    });
  }

  #overflow(first: number, pages: number, isParentCovered: boolean): void {
    this.#use(first, pages);
    const header = this.#file.copy(first);
    if (pageFlags(header) !== PageFlag.overflow || overflowPages(header) !== pages)
      throw this.#file.damage(`page ${first} does not begin a value of ${pages} pages`);
    this.pages += pages;
    const isCovered = this.#isCovered(header, first, isParentCovered);
    if (isCovered && this.#isIncremental) return;
    const bytes = pages === 1 ? header : this.#file.copy(first, pages);
    this.#sum(bytes, { number: first, pages, isCovered });
  }

  /** The list of pages that a commit freed: all of them must be pages, or later writes end up elsewhere. */
  #freeList(bytes: Buffer, at: number, length: number): void {
    const count = length < 8 ? -1 : u64(bytes, at);
    if (count < 0 || (count + 1) * 8 > length)
      throw this.#file.damage('its list of free pages has no valid length');
    for (let i = 1; i <= count; i++) {
      const entry = bytes.readBigInt64LE(at + 8 * i);
      const value = entry < 0n ? -entry : entry;
      if (value >= BigInt(this.#end))
        throw this.#file.damage('its list of free pages names a page that is not there');
    }
  }

  /** Checks the header of a page or of a value on several. @returns true when there is a sum of this version of it */
  #isCovered(header: Buffer, number: number, isParentCovered: boolean): boolean {
    const txnId = pageTxnId(header);
    if (pageNumber(header) !== number)
      throw this.#file.damage(`page ${number} says it is page ${pageNumber(header)}`);
    if (txnId > this.#file.meta.txnId)
      throw this.#file.damage(`page ${number} is of a commit that was never made`);
    const isCovered = this.#sums?.covers(number, txnId) === true;
    if (isParentCovered && !isCovered)
      throw this.#file.damage(`page ${number} is of another commit than expected`);
    return isCovered;
  }

  /** Compares a page, or a value on several, with its sum, and notes the sum. */
  #sum(bytes: Buffer, { number, pages, isCovered }: SummedPages): void {
    const txnId = pageTxnId(bytes);
    const { pageBytes } = this.#file.meta;
    for (let i = 0; i < pages; i++) {
      const sum = crc32(bytes.subarray(i * pageBytes, (i + 1) * pageBytes));
      if (isCovered && this.#sums?.matches(number + i, sum) === false)
        throw this.#file.damage(`page ${number + i} does not have its checksum`);
      this.made.set(number + i, txnId, sum);
    }
  }

  /** @throws FileDamage when a page is not in the file or was met before */
  #use(number: number, pages: number): void {
    if (number < META_PAGES || number + pages > this.#end)
      throw this.#file.damage(`it names page ${number}, which it does not have`);
    for (let page = number; page < number + pages; page++) {
      const bit = 1 << (page & 7);
      const byte = this.#used[page >>> 3] ?? 0;
      if ((byte & bit) !== 0) throw this.#file.damage(`page ${page} is used twice`);
      this.#used[page >>> 3] = byte | bit;
    }
  }
}

interface Position {
  readonly level: Level;
  readonly index: number;
}

interface SummedPages {
  /** Of the first. */
  readonly number: number;
  readonly pages: number;
  readonly isCovered: boolean;
}

interface Counted {
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

interface Found {
  readonly counted: Counted;
  readonly next: Level & { parents: Parent[] };
  readonly whole: { isWhole: boolean };
}

/** The keys of a page lie between the one that points to it and the next one. */
function rangeProblem(
  page: Buffer,
  { parent, slot }: { readonly parent: Parent; readonly slot: number },
  { isLeaf, hasIntegerKeys }: ExpectedPage,
): string | null {
  const count = nodeCount(page);
  // The first key of a branch page is not compared.
  const first = isLeaf ? 0 : 1;
  if (slot > 0 && count > first) {
    const low = { page: parent.page, node: nodeAt(parent.page, slot), hasIntegerKeys };
    if (compareKeys(page, nodeAt(page, first), low) < 0)
      return 'its keys begin before the one that leads to it';
  }
  const high = nextKey(parent, slot);
  if (high !== null && compareKeys(page, nodeAt(page, count - 1), { ...high, hasIntegerKeys }) >= 0)
    return 'its keys reach into the next page';
  return null;
}

/** The key of whatever follows a child; null when nothing does. */
function nextKey(parent: Parent, slot: number): { readonly page: Buffer; readonly node: number } | null {
  for (let at: Parent['above'] = { parent, slot }; at !== null; at = at.parent.above) {
    const { page } = at.parent;
    if (page.length > 0 && at.slot + 1 < nodeCount(page)) return { page, node: nodeAt(page, at.slot + 1) };
  }
  return null;
}
