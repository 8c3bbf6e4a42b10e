// Reads the files of one index at a bounded rate and compares checksums, without a snapshot: others write meanwhile.
//
// A page or row that does not have its checksum may have been freed and reused. It counts as damaged only when the newest
// commit claims it: of pages, a walk of all that it reaches decides; of rows, the caller.
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { rowKey } from '../keys.ts';
import { pageProblem } from './check-page.ts';
import { DIMENSION } from './identity.ts';
import { PageFile } from './page-file.ts';
import {
  keyBytes,
  META_PAGES,
  NODE_HEADER_BYTES,
  NodeFlag,
  nodeAt,
  nodeCount,
  nodeFlags,
  overflowOf,
  PAGE_HEADER_BYTES,
  PageFlag,
  pageFlags,
  pageNumber,
  pageTxnId,
  valueAt,
  valueBytes,
} from './page-layout.ts';
import type { PageSums } from './page-sums.ts';
import { NO_ROW_SUM, rowSumOf, takeSums } from './record-sums.ts';
import { RECORDS, readSums } from './sealed-records.ts';
import { TolerantReader } from './tolerant-reader.ts';

const RUN_PAGES = 64;
const ROWS = 'rows.f32';
const ROW_KEY_BYTES = rowKey(0, 0).length;

export interface ScrubOptions {
  /** Resolves when so many bytes more may be read. @throws to end the scrub */
  readonly mayRead: (bytes: number) => Promise<void>;
  /** Called with each damaged row: a record of the newest commit must claim it, which the callee finds out. */
  readonly onRow: (row: SuspectRow) => void;
}

export interface Scrubbed {
  readonly hasSuspectPages: boolean;
  /** Null where there are no rows, or it is not known. */
  readonly dimension: number | null;
}

export interface SuspectRow {
  readonly namespaceId: number;
  readonly row: number;
  readonly rowSum: number;
}

/**
 * Reads everything that has a checksum.
 * @returns whether pages did not have theirs: `scanPages` says whether they are damaged
 * @throws FileDamage when its meta pages are damaged; what `mayRead` throws; ENOENT when the index is removed
 */
export async function scrubIndex(folder: string, options: ScrubOptions): Promise<Scrubbed> {
  const sums = readSums(folder);
  if (sums === null) return { hasSuspectPages: false, dimension: null };
  const path = join(folder, RECORDS);
  const { pageBytes, dimension } = layoutOf(path, sums);
  const records = await open(path, 'r');
  const rows = dimension === 0 ? null : await open(join(folder, ROWS), 'r');
  try {
    const files = { records, rows, pageBytes, rowBytes: 4 * dimension };
    const hasSuspectPages = await new Scrub(files, options).run(sums);
    return { hasSuspectPages, dimension: dimension === 0 ? null : dimension };
  } finally {
    await records.close();
    await rows?.close();
  }
}

/** The size of pages, and the dimension: 0 where there are no rows, or it is not known. @throws FileDamage */
function layoutOf(path: string, sums: PageSums): { readonly pageBytes: number; readonly dimension: number } {
  const file = PageFile.open(path);
  try {
    const reader = new TolerantReader(file, { sums, onDamage: () => undefined });
    let dimension = 0;
    for (const { key, value } of reader.entries('meta'))
      if (key.toString() === DIMENSION && value.length === 8) dimension = value.readDoubleLE(0);
    return { pageBytes: file.meta.pageBytes, dimension };
  } finally {
    file.close();
  }
}

interface OpenFiles {
  readonly records: FileHandle;
  readonly rows: FileHandle | null;
  readonly pageBytes: number;
  readonly rowBytes: number;
}

class Scrub {
  readonly #files: OpenFiles;
  readonly #options: ScrubOptions;

  constructor(files: OpenFiles, options: ScrubOptions) {
    this.#files = files;
    this.#options = options;
  }

  async run(sums: PageSums): Promise<boolean> {
    let isSuspect = false;
    const { pageBytes, records } = this.#files;
    const buffer = Buffer.allocUnsafe(RUN_PAGES * pageBytes);
    for (let first = META_PAGES; first < sums.pages; first += RUN_PAGES) {
      const pages = Math.min(RUN_PAGES, sums.pages - first);
      await this.#options.mayRead(pages * pageBytes);
      const bytes = await this.#read(records, buffer.subarray(0, pages * pageBytes), first * pageBytes);
      const rows: SuspectRow[] = [];
      for (let i = 0; i < pages; i++) {
        const page = bytes.subarray(i * pageBytes, (i + 1) * pageBytes);
        if (!sums.isInUse(first + i)) continue;
        if (page.length === pageBytes && sums.matches(first + i, crc32(page)))
          rows.push(...(await this.#rowsOf(page, first + i)));
        else isSuspect ||= !isRewritten(page, first + i, sums);
      }
      await this.#compareRows(rows);
    }
    return isSuspect;
  }

  /** The rows that the records of a leaf page claim. */
  async #rowsOf(page: Buffer, number: number): Promise<readonly SuspectRow[]> {
    if (this.#files.rows === null) return [];
    const isLeaf = pageNumber(page) === number && pageFlags(page) === PageFlag.leaf;
    if (!isLeaf || pageProblem(page, { isLeaf, hasIntegerKeys: false, holdsTrees: false }) !== null)
      return [];
    const found: SuspectRow[] = [];
    for (let i = 0; i < nodeCount(page); i++) {
      const node = nodeAt(page, i);
      if (keyBytes(page, node) !== ROW_KEY_BYTES) continue;
      const start = node + NODE_HEADER_BYTES;
      const [namespaceId, row] = [page.readUInt32BE(start), page.readUInt32BE(start + 4)];
      const value = await this.#value(page, node);
      const rowSum = value === null ? undefined : takeSums(value, namespaceId, row)?.rowSum;
      if (rowSum !== undefined && rowSum !== NO_ROW_SUM) found.push({ namespaceId, row, rowSum });
    }
    return found;
  }

  async #value(page: Buffer, node: number): Promise<Buffer | null> {
    const at = valueAt(page, node);
    const bytes = valueBytes(page, node);
    if (nodeFlags(page, node) !== NodeFlag.overflow) return page.subarray(at, at + bytes);
    const { first } = overflowOf(page, node);
    const { records, pageBytes } = this.#files;
    await this.#options.mayRead(bytes);
    const value = Buffer.allocUnsafe(bytes);
    const got = await this.#read(records, value, first * pageBytes + PAGE_HEADER_BYTES);
    return got.length === bytes ? got : null;
  }

  async #compareRows(claims: readonly SuspectRow[]): Promise<void> {
    const { rows, rowBytes } = this.#files;
    if (rows === null) return;
    const order = [...claims].sort((one, other) => one.row - other.row);
    const most = Math.max(1, Math.floor((RUN_PAGES * this.#files.pageBytes) / rowBytes));
    for (let first = 0; first < order.length; ) {
      const start = order[first]?.row ?? 0;
      let count = 1;
      while (count < most && order[first + count]?.row === start + count) count++;
      await this.#options.mayRead(count * rowBytes);
      const bytes = await this.#read(rows, Buffer.allocUnsafe(count * rowBytes), start * rowBytes);
      for (let i = 0; i < count; i++) {
        const claim = order[first + i];
        const row = bytes.subarray(i * rowBytes, (i + 1) * rowBytes);
        if (claim !== undefined && (row.length < rowBytes || rowSumOf(row) !== claim.rowSum))
          this.#options.onRow(claim);
      }
      first += count;
    }
  }

  /** What the file has of the bytes. A sector that cannot be read counts as bytes that are not there. */
  async #read(file: FileHandle, into: Buffer, position: number): Promise<Buffer> {
    let done = 0;
    try {
      while (done < into.length) {
        const { bytesRead } = await file.read(into, done, into.length - done, position + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EIO')) throw error;
    }
    return into.subarray(0, done);
  }
}

/** True when the page says that a later commit than that of the sums wrote it, as it usually is. */
function isRewritten(page: Buffer, number: number, sums: PageSums): boolean {
  return page.length > PAGE_HEADER_BYTES && pageNumber(page) === number && pageTxnId(page) > sums.txnId;
}
