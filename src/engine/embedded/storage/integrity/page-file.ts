// Reads pages of an LMDB file by system calls, neighbors together: a page that the disk cannot read, or that is not
// there, is an error and never a signal.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ReadAhead } from '../../../../platform/native/read-ahead.ts';
import { systemCalls } from '../../../../platform/native/system-calls.ts';
import { FileDamage } from './damage.ts';
import { META_BYTES, META_PAGES, type MetaPage, NO_PAGE, readMetaPage } from './page-layout.ts';

const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
/** Pages that one call reads. */
const RUN_PAGES = 64;
/** Pages that are read and skipped, which costs less than another call. */
const GAP_PAGES = 4;
const MAP_BYTES_MAX = 2 ** 46;
/** Further looks at the meta pages before they count as damaged. A commit takes far longer than a look. */
const META_LOOKS = 20;
/** All that LMDB can have. */
const PAGE_SIZES: readonly number[] = Array.from({ length: 8 }, (_, i) => PAGE_BYTES_MIN << i);
const NO_TREE = { depth: 0, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0, root: NO_PAGE };
/** Of a file without a meta page; the size of its pages is that of all files of the engine. */
const NO_META: MetaPage = {
  pageBytes: 4_096,
  mapBytes: 0,
  lastPage: 0,
  txnId: 0,
  freePages: NO_TREE,
  main: NO_TREE,
};

export class PageFile {
  readonly path: string;
  readonly meta: MetaPage;
  readonly #fd: number;
  readonly #ahead: ReadAhead;
  /** Made by the first visit: most looks at a file are at its meta pages alone. */
  #buffer: Buffer | null = null;

  private constructor(path: string, fd: number, readMeta: (file: PageFile) => MetaPage) {
    this.path = path;
    this.#fd = fd;
    this.#ahead = new ReadAhead(fd, fstatSync(fd).size, systemCalls());
    this.meta = readMeta(this);
  }

  /** @throws FileDamage when it is missing, or its meta pages are damaged */
  static open(path: string): PageFile {
    return PageFile.#open(path, (file) => file.#readMetaInPeace());
  }

  /**
   * Opens a file whose meta pages may be damaged: the newer valid one counts, and without any the file has no trees.
   * @throws FileDamage when it is missing
   */
  static openDamaged(path: string, onDamage: (what: string) => void): PageFile {
    return PageFile.#open(path, (file) => file.#readAnyMeta(onDamage));
  }

  static #open(path: string, readMeta: (file: PageFile) => MetaPage): PageFile {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      throw new FileDamage(path, 'it is missing');
    }
    try {
      return new PageFile(path, fd, readMeta);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  damage(what: string): FileDamage {
    return new FileDamage(this.path, what);
  }

  /** Lets the system read ahead of visits from this page on, where nearly all pages will be visited. */
  readAhead(number: number): void {
    this.#ahead.reach(number * this.meta.pageBytes);
  }

  /**
   * Visits pages; the buffer is valid only during the visit.
   * @param numbers in rising order
   */
  visit(numbers: ArrayLike<number>, onPage: (page: Buffer, index: number) => void): void {
    const { pageBytes } = this.meta;
    for (let first = 0; first < numbers.length; ) {
      const start = numbers[first] ?? 0;
      let end = first + 1;
      for (; end < numbers.length; end++) {
        const number = numbers[end] ?? 0;
        if (number - (numbers[end - 1] ?? 0) > GAP_PAGES || number - start >= RUN_PAGES) break;
      }
      const pages = (numbers[end - 1] ?? 0) - start + 1;
      const bytes = this.#read(start, pages * pageBytes);
      for (; first < end; first++) {
        const at = ((numbers[first] ?? 0) - start) * pageBytes;
        onPage(bytes.subarray(at, at + pageBytes), first);
      }
    }
  }

  /** A copy of a page, or of several that follow each other. */
  copy(number: number, pages = 1): Buffer {
    const { pageBytes } = this.meta;
    const bytes = Buffer.allocUnsafe(pages * pageBytes);
    this.#readAll(bytes, number * pageBytes, `page ${number}`);
    return bytes;
  }

  #read(number: number, length: number): Buffer {
    this.#buffer ??= Buffer.allocUnsafeSlow(RUN_PAGES * this.meta.pageBytes);
    const bytes = this.#buffer.subarray(0, length);
    this.#readAll(bytes, number * this.meta.pageBytes, `page ${number}`);
    return bytes;
  }

  #readAll(into: Buffer, from: number, what: string): void {
    for (let done = 0; done < into.length; ) {
      let got: number;
      try {
        got = readSync(this.#fd, into, done, into.length - done, from + done);
      } catch (error) {
        if (codeOf(error) !== 'EIO') throw error;
        throw this.damage(`${what} cannot be read (EIO)`);
      }
      if (got === 0) throw this.damage(`it ends before ${what}`);
      done += got;
    }
  }

  /** Between the reading of one meta page and the other, somebody may commit: then another look finds a pair. */
  #readMetaInPeace(): MetaPage {
    for (let left = META_LOOKS; ; left--) {
      try {
        return this.#readMeta();
      } catch (error) {
        if (left === 0 || !(error instanceof FileDamage)) throw error;
      }
    }
  }

  /** The newer meta page. Both must be valid: the older one alone would take back the last commit. */
  #readMeta(): MetaPage {
    const first = this.#metaPage(0, 0);
    const { pageBytes } = first;
    const isPageSize = pageBytes >= PAGE_BYTES_MIN && pageBytes <= PAGE_BYTES_MAX;
    if (!isPageSize || !Number.isInteger(Math.log2(pageBytes)))
      throw this.damage(`page 0: pages of ${pageBytes} bytes are not possible`);
    const second = this.#metaPage(1, pageBytes);
    if (second.pageBytes !== pageBytes)
      throw this.damage('page 1: its page size differs from that of page 0');
    const isPair = Math.abs(first.txnId - second.txnId) <= 1 && first.txnId % 2 === 0;
    const isNew = first.txnId === 0 && second.txnId === 0;
    if (!isPair && !isNew) throw this.damage('its two meta pages are not of subsequent commits');
    const meta = first.txnId >= second.txnId ? first : second;
    const size = fstatSync(this.#fd).size;
    const number = meta === first ? 0 : 1;
    if (
      meta.lastPage < META_PAGES - 1 ||
      meta.mapBytes < (meta.lastPage + 1) * pageBytes ||
      meta.mapBytes > MAP_BYTES_MAX
    )
      throw this.damage(`page ${number}: its sizes are not possible`);
    // The last pages may be free and never written.
    if (meta.mapBytes > MAP_BYTES_MAX || size < META_PAGES * pageBytes) throw this.damage('it is too short');
    return meta;
  }

  #readAnyMeta(onDamage: (what: string) => void): MetaPage {
    try {
      return this.#readMetaInPeace();
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      onDamage(error.what);
    }
    const found = [0, ...PAGE_SIZES].flatMap((at) => {
      try {
        const meta = this.#metaPage(at === 0 ? 0 : 1, at);
        return at === 0 || meta.pageBytes === at ? [meta] : [];
      } catch (error) {
        if (error instanceof FileDamage) return [];
        throw error;
      }
    });
    const usable = found.filter(({ pageBytes }) => PAGE_SIZES.includes(pageBytes));
    const [newest] = usable.sort((one, other) => other.txnId - one.txnId);
    const { size } = fstatSync(this.#fd);
    // LMDB grows files by whole pages; a meta page that says more is wrong, or the file was cut.
    if (newest !== undefined)
      return { ...newest, lastPage: Math.min(newest.lastPage, Math.floor(size / newest.pageBytes)) };
    return { ...NO_META, lastPage: Math.ceil(size / NO_META.pageBytes) - 1 };
  }

  #metaPage(number: number, at: number): MetaPage {
    const bytes = Buffer.alloc(META_BYTES);
    this.#readAll(bytes, at, `meta page ${number}`);
    const meta = readMetaPage(bytes);
    if (meta === null) throw this.damage(`page ${number} is no meta page`);
    return meta;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
