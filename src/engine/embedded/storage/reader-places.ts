// Disk for LMDB's lock file, which has a place for each reader. The file is mapped and sparse: whoever writes to a page of
// it that has no disk yet needs some, and on a full one the process would end by SIGBUS.
import { closeSync, constants, openSync, statSync, writeSync } from 'node:fs';
import { isOpenHere } from '../../../platform/open-files.ts';

const PAGE_BYTES = 4_096;
/** Of which the system counts what a file takes. */
const BLOCK_BYTES = 512;
/** As LMDB lays the file out: what precedes the places, at most, and each of them. */
const HEADER_BYTES = 256;
const PLACE_BYTES = 64;
/** Of a search thread: its reads, and two scans (HeldScans). */
const PLACES_A_THREAD = 3;
/** Of the writer, copies and other threads. */
const PLACES_OF_OTHERS = 16;

/**
 * Has the disk keep room for the readers of a store that is about to be opened. The first page has room for 14 threads.
 * @param path of the store
 * @param threads that search
 * @throws the system's error, as ENOSPC, where the lock file has no page yet and gets none
 */
export function keepReaderPlaces(path: string, threads: number): void {
  const lock = `${path}-lock`;
  const places = PLACES_A_THREAD * threads + PLACES_OF_OTHERS;
  const bytes = Math.ceil((HEADER_BYTES + PLACE_BYTES * places) / PAGE_BYTES) * PAGE_BYTES;
  const known = statSync(lock, { throwIfNoEntry: false });
  // A disk that was full may have left a file without it.
  const hasFirstPage = known !== undefined && known.size >= PAGE_BYTES;
  if (hasFirstPage && (bytes === PAGE_BYTES || known.blocks * BLOCK_BYTES >= bytes || isOpenHere(lock)))
    return;
  try {
    writeZeros(lock, { from: hasFirstPage ? PAGE_BYTES : 0, to: bytes });
  } catch (error) {
    // Else it is of use all the same, to as many readers as before.
    if (!hasFirstPage) throw error;
  }
}

/** What a place is that nobody has taken. @param range whole pages, in bytes */
function writeZeros(path: string, { from, to }: { readonly from: number; readonly to: number }): void {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const page = Buffer.alloc(PAGE_BYTES);
    for (let at = from; at < to; ) at += writeSync(fd, page, 0, Math.min(PAGE_BYTES, to - at), at);
  } finally {
    closeSync(fd);
  }
}
