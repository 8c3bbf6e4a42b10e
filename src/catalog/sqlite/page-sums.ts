// Checksums of the catalog's pages, in a file beside it: SQLite notices damage of its structure, but not of what is
// stored, and takes an older copy for the present state.
//
// The sums describe the main file after a checkpoint. Pages that the log (the WAL) has are taken from there, and SQLite
// checks them itself, so only the others are compared. Checkpoints are made here alone: the sums are saved between the
// end of a checkpoint and the next write, which begins the log anew.
//
// The catalog is read through a descriptor that stays open as long as SQLite's: the system drops the locks of a process
// on a file when it closes any descriptor of it.
import { existsSync, fstatSync, readFileSync, readSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { replaceFile, syncFolder } from '../../platform/durable-files.ts';

const MAGIC = 0x504e_5943;
const HEADER_BYTES = 20;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Offset of the page size in the catalog; 1 stands for 65,536. */
const PAGE_SIZE_AT = 16;
const PAGE_BYTES_MAX = 65_536;

export function sumsPath(path: string): string {
  return path.replace(/(\.sqlite)?$/, '.sums');
}

/** @param fd of the catalog. @returns what is damaged; null when nothing is, or there are no sums */
export function catalogProblem(path: string, fd: number): string | null {
  const sums = readSums(sumsPath(path));
  if (sums === null) return null;
  const bytes = readWhole(fd);
  const { pageBytes } = sums;
  const logged = pagesInLog(`${path}-wal`, pageBytes);
  const pages = Math.ceil(bytes.length / pageBytes);
  for (let page = 0; page < Math.max(pages, sums.sums.length); page++) {
    if (logged.has(page + 1)) continue;
    const content = bytes.subarray(page * pageBytes, (page + 1) * pageBytes);
    if (sums.sums[page] !== crc32(content)) return `page ${page + 1} does not have its checksum`;
  }
  return null;
}

/** Call after a checkpoint, before anything else is written. Where they cannot be saved, there are none. */
export function saveCatalogSums(path: string, fd: number): void {
  const bytes = readWhole(fd);
  if (bytes.length === 0) return;
  try {
    replaceFile(sumsPath(path), sumsOf(bytes));
  } catch (error) {
    dropCatalogSums(path);
    throw error;
  }
}

/** Call where the main file may change without them: a catalog that has none opens, and gets new ones. */
export function dropCatalogSums(path: string): void {
  rmSync(sumsPath(path), { force: true });
  syncFolder(dirname(path));
}

function sumsOf(bytes: Buffer): Buffer {
  const stored = bytes.readUInt16BE(PAGE_SIZE_AT);
  const pageBytes = stored === 1 ? PAGE_BYTES_MAX : stored;
  const pages = Math.ceil(bytes.length / pageBytes);
  const content = Buffer.alloc(HEADER_BYTES + 4 * pages);
  content.writeUInt32LE(MAGIC, 0);
  content.writeUInt32LE(pageBytes, 4);
  content.writeUInt32LE(pages, 8);
  for (let page = 0; page < pages; page++)
    content.writeUInt32LE(
      crc32(bytes.subarray(page * pageBytes, (page + 1) * pageBytes)),
      HEADER_BYTES + 4 * page,
    );
  content.writeUInt32LE(crc32(content.subarray(HEADER_BYTES)), 12);
  content.writeUInt32LE(crc32(content.subarray(0, 16)), 16);
  return content;
}

function readWhole(fd: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  let done = 0;
  for (let got = 1; done < bytes.length && got > 0; done += got)
    got = readSync(fd, bytes, done, bytes.length - done, done);
  return bytes.subarray(0, done);
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
  const log = readFileSync(path);
  if (log.length < WAL_HEADER_BYTES) return pages;
  const salts = log.subarray(16, 24);
  for (
    let at = WAL_HEADER_BYTES;
    at + FRAME_HEADER_BYTES <= log.length;
    at += FRAME_HEADER_BYTES + pageBytes
  ) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    pages.add(log.readUInt32BE(at));
  }
  return pages;
}
