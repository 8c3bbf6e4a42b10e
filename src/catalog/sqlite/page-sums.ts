// Checksums of the catalog's pages, in a file beside it: SQLite notices damage of its structure, but not of what is
// stored, and takes an older copy for the present state.
//
// The sums describe the main file after a checkpoint. Pages that the log (the WAL) has are taken from there, and SQLite
// checks them itself, so only the others are compared. Checkpoints are made by one thread alone: it saves the sums between
// the end of a checkpoint and the next write, which begins the log anew.
//
// The catalog is read through a descriptor that stays open as long as SQLite's: the system drops the locks of a process
// on a file when it closes any descriptor of it.
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { replaceFile, syncFolder } from '../../platform/durable-files.ts';
import { pageBytesOf, pageCountOf, readPage, readPages } from './file-pages.ts';
import type { MovedLog } from './log-end.ts';
import { warn } from './warn.ts';

const MAGIC = 0x504e_5943;
const HEADER_BYTES = 20;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

export function sumsPath(path: string): string {
  return path.replace(/(\.sqlite)?$/, '.sums');
}

/** @param fd of the catalog. @returns what is damaged; null when nothing is, or there are no sums */
export function catalogProblem(path: string, fd: number): string | null {
  const sums = readSums(sumsPath(path));
  if (sums === null) return null;
  const logged = pagesInLog(`${path}-wal`, sums.pageBytes);
  let page = 0;
  for (const content of readPages(fd, sums.pageBytes)) {
    if (!logged.has(page + 1) && sums.sums[page] !== crc32(content)) return problemOf(page);
    page++;
  }
  // The file may have become shorter.
  for (; page < sums.sums.length; page++) if (!logged.has(page + 1)) return problemOf(page);
  return null;
}

/** Whether the catalog's file has all of a log that is gone, and is otherwise as after the last checkpoint. */
export function hasMoved(path: string, fd: number, log: MovedLog): boolean {
  const pageBytes = pageBytesOf(fd);
  const saved = readSums(sumsPath(path));
  if (pageBytes === 0 || (saved !== null && saved.pageBytes !== pageBytes)) return false;
  let page = 0;
  for (const content of readPages(fd, pageBytes)) {
    const expected = log.sums.get(page + 1) ?? saved?.sums[page];
    if (crc32(content) !== expected) return false;
    page++;
  }
  return page === log.pageCount;
}

function problemOf(page: number): string {
  return `page ${page + 1} does not have its checksum`;
}

/** Those of an open catalog. */
export class CatalogSums {
  readonly path: string;
  readonly fd: number;
  #sums = new Uint32Array();
  /** Whether they are as saved last. */
  #isKnown = false;
  /** Pages, from 1 on, that checkpoints may have written since. */
  readonly #written = new Set<number>();

  /** @param fd of the catalog */
  constructor(path: string, fd: number) {
    this.path = path;
    this.fd = fd;
  }

  /** Call before each checkpoint: it writes no other pages than those that the log has, and such behind the end. */
  noteLogged(): void {
    if (!this.#isKnown) return;
    try {
      for (const page of pagesInLog(`${this.path}-wal`, pageBytesOf(this.fd))) this.#written.add(page);
    } catch {
      // All pages are read again.
      this.#isKnown = false;
    }
  }

  /**
   * Call after a checkpoint of everything, before anything else is written. Pages that it did not write keep their
   * checksums, so that damage of them is not taken for their content. Where they cannot be saved, there are none, and a
   * warning says so: the catalog is as whole as before.
   * @throws Error where the former ones cannot be removed either
   */
  save(): void {
    try {
      const pageBytes = pageBytesOf(this.fd);
      if (pageBytes === 0) return;
      this.#sums = this.#present(pageBytes);
      replaceFile(sumsPath(this.path), fileOf(this.#sums, pageBytes));
      this.#isKnown = true;
      this.#written.clear();
    } catch (error) {
      this.drop();
      warn('The checksums of the catalog could not be saved', error);
    }
  }

  /** Call where the main file may change without them: a catalog that has none opens, and gets new ones. */
  drop(): void {
    this.#isKnown = false;
    rmSync(sumsPath(this.path), { force: true });
    syncFolder(dirname(this.path));
  }

  #present(pageBytes: number) {
    const sums = new Uint32Array(pageCountOf(this.fd, pageBytes));
    if (!this.#isKnown) {
      let page = 0;
      for (const content of readPages(this.fd, pageBytes)) sums[page++] = crc32(content);
      return sums;
    }
    const known = Math.min(sums.length, this.#sums.length);
    sums.set(this.#sums.subarray(0, known));
    const content = Buffer.alloc(pageBytes);
    const renew = (page: number) => {
      readPage(this.fd, page, content);
      sums[page] = crc32(content);
    };
    for (const page of this.#written) if (page <= known) renew(page - 1);
    for (let page = known; page < sums.length; page++) renew(page);
    return sums;
  }
}

function fileOf(sums: Uint32Array, pageBytes: number): Buffer {
  const content = Buffer.alloc(HEADER_BYTES + 4 * sums.length);
  content.writeUInt32LE(MAGIC, 0);
  content.writeUInt32LE(pageBytes, 4);
  content.writeUInt32LE(sums.length, 8);
  for (const [page, sum] of sums.entries()) content.writeUInt32LE(sum, HEADER_BYTES + 4 * page);
  content.writeUInt32LE(crc32(content.subarray(HEADER_BYTES)), 12);
  content.writeUInt32LE(crc32(content.subarray(0, 16)), 16);
  return content;
}

interface Sums {
  readonly pageBytes: number;
  readonly sums: Uint32Array;
}

function readSums(path: string): Sums | null {
  if (!existsSync(path)) return null;
  const content = readFileSync(path);
  if (content.length < HEADER_BYTES) return null;
  const pages = content.readUInt32LE(8);
  const isWhole =
    content.readUInt32LE(0) === MAGIC &&
    content.readUInt32LE(16) === crc32(content.subarray(0, 16)) &&
    content.length === HEADER_BYTES + 4 * pages &&
    content.readUInt32LE(12) === crc32(content.subarray(HEADER_BYTES));
  if (!isWhole) return null;
  const sums = Uint32Array.from({ length: pages }, (_, page) =>
    content.readUInt32LE(HEADER_BYTES + 4 * page),
  );
  return { pageBytes: content.readUInt32LE(4), sums };
}

/** The numbers of the pages that the log has, from 1 on: those of frames with the salts of its header. */
function pagesInLog(path: string, pageBytes: number): ReadonlySet<number> {
  const pages = new Set<number>();
  if (!existsSync(path)) return pages;
  const log = openSync(path, 'r');
  try {
    const header = bytesAt(log, 0, WAL_HEADER_BYTES);
    if (header === null) return pages;
    const salts = header.subarray(16, 24);
    for (let at = WAL_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageBytes) {
      const frame = bytesAt(log, at, FRAME_HEADER_BYTES);
      if (frame === null || !frame.subarray(8, 16).equals(salts)) return pages;
      pages.add(frame.readUInt32BE(0));
    }
  } finally {
    closeSync(log);
  }
}

/** Null where there are not so many. */
function bytesAt(fd: number, from: number, bytes: number): Buffer | null {
  const into = Buffer.alloc(bytes);
  return readSync(fd, into, 0, bytes, from) < bytes ? null : into;
}
