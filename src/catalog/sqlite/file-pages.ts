// Reads the pages of the catalog's file, one after the other, however long it is: no read takes 2 GiB, and none of it
// stays in memory.
import { fstatSync, readSync } from 'node:fs';

/** Of the page size in the file; 1 stands for 65,536. */
const PAGE_SIZE_AT = 16;
const PAGE_BYTES_MAX = 65_536;
const READ_BYTES = 4 * 2 ** 20;

/** @returns what the file says its pages have; 0 for an empty file */
export function pageBytesOf(fd: number): number {
  const bytes = Buffer.alloc(2);
  if (readSync(fd, bytes, 0, 2, PAGE_SIZE_AT) < 2) return 0;
  const stored = bytes.readUInt16BE();
  return stored === 1 ? PAGE_BYTES_MAX : stored;
}

/** @returns how many pages the file has; the last one may be cut off */
export function pageCountOf(fd: number, pageBytes: number): number {
  return Math.ceil(fstatSync(fd).size / pageBytes);
}

/**
 * The pages in their order, each valid until the next one. The last one is shorter where the file is cut off.
 * @param readBytes how much is read at once: at least one page
 */
export function* readPages(fd: number, pageBytes: number, readBytes = READ_BYTES): Generator<Buffer> {
  const piece = Buffer.alloc(Math.floor(readBytes / pageBytes) * pageBytes);
  for (let from = 0; ; from += piece.length) {
    const got = readInto(fd, piece, from);
    for (let at = 0; at < got; at += pageBytes) yield piece.subarray(at, Math.min(at + pageBytes, got));
    if (got < piece.length) return;
  }
}

/** One page, counted from 0. @throws Error where the file is shorter */
export function readPage(fd: number, page: number, into: Uint8Array): void {
  if (readInto(fd, into, page * into.length) < into.length)
    throw new Error('the file of the catalog has become shorter');
}

/** @returns how much there was */
function readInto(fd: number, into: Uint8Array, from: number): number {
  let done = 0;
  for (let got = 1; done < into.length && got > 0; done += got)
    got = readSync(fd, into, done, into.length - done, from + done);
  return done;
}
