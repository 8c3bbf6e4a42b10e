// Checksums of the catalog's pages, in a file beside it: SQLite notices damage of its structure, but not of what is
// stored, and takes an older copy for the present state.
//
// The sums describe the main file after a checkpoint. Pages that the log (the WAL) has are taken from there, and SQLite
// checks them itself, so only the others are compared. Checkpoints are made here alone: the sums are saved between the
// end of a checkpoint and the next write, which begins the log anew.
//
// The catalog is read through a descriptor that stays open as long as SQLite's: the system drops the locks of a process
// on a file when it closes any descriptor of it.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { replaceFile, syncFolder } from '../../platform/durable-files.ts';
import { pageBytesOf, pageCountOf, readPages } from './file-pages.ts';

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

function problemOf(page: number): string {
  return `page ${page + 1} does not have its checksum`;
}

/**
 * Call after a checkpoint, before anything else is written. Where they cannot be saved, there are none, and a warning
 * says so: the catalog is as whole as before.
 * @throws Error where the former ones cannot be removed either
 */
export function saveCatalogSums(path: string, fd: number): void {
  try {
    const pageBytes = pageBytesOf(fd);
    if (pageBytes > 0) replaceFile(sumsPath(path), sumsOf(fd, pageBytes));
  } catch (error) {
    dropCatalogSums(path);
    process.emitWarning(`The checksums of the catalog could not be saved: ${messageOf(error)}`);
  }
}

/** Call where the main file may change without them: a catalog that has none opens, and gets new ones. */
export function dropCatalogSums(path: string): void {
  rmSync(sumsPath(path), { force: true });
  syncFolder(dirname(path));
}

function sumsOf(fd: number, pageBytes: number): Buffer {
  const pages = pageCountOf(fd, pageBytes);
  const content = Buffer.alloc(HEADER_BYTES + 4 * pages);
  content.writeUInt32LE(MAGIC, 0);
  content.writeUInt32LE(pageBytes, 4);
  content.writeUInt32LE(pages, 8);
  let at = HEADER_BYTES;
  for (const page of readPages(fd, pageBytes)) at = content.writeUInt32LE(crc32(page), at);
  content.writeUInt32LE(crc32(content.subarray(HEADER_BYTES)), 12);
  content.writeUInt32LE(crc32(content.subarray(0, 16)), 16);
  return content;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
