// What the catalog's main file has once everything in its log (the WAL) is in it: the checksums of the pages that the log
// has, in the order of its frames, behind the end of the log in the file beside the catalog. Another program that opens
// the catalog after a kill moves the log to the main file and removes it; these tell whether nothing is missing.
import { readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { FRAME_HEADER_BYTES, frameOffset, type LogHeader } from './log-frames.ts';

/** Of a page: its number, from 1 on, and its CRC-32. */
const ENTRY_BYTES = 8;
/** Parts of a frame's header. */
const PAGE_AT = 0;
const PAGE_COUNT_AT = 4;

/** Of the frames until the last commit. */
export interface LoggedSums {
  /** Of the whole file after that commit. */
  readonly pageCount: number;
  /** The CRC-32 of all entries. */
  readonly entriesSum: number;
}

const NOTHING: LoggedSums = { pageCount: 0, entriesSum: 0 };

/** Follows the log of an open catalog. */
export class LoggedPages {
  readonly #file: number;
  readonly #from: number;
  readonly #log: number;
  #header: LogHeader | null = null;
  #frames = 0;
  #sums = NOTHING;

  /** @param from where the entries begin in the file. @param log its descriptor */
  constructor({ file, from, log }: { readonly file: number; readonly from: number; readonly log: number }) {
    this.#file = file;
    this.#from = from;
    this.#log = log;
  }

  /**
   * Writes the entries that are not there yet.
   * @param header of the present log; null before the first
   * @param frames of all its commits
   */
  note(header: LogHeader | null, frames: number): LoggedSums {
    if (header !== this.#header) [this.#header, this.#frames, this.#sums] = [header, 0, NOTHING];
    if (header === null || frames <= this.#frames) return this.#sums;
    const entries = Buffer.alloc(ENTRY_BYTES * (frames - this.#frames));
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + header.pageBytes);
    for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
      const number = this.#frames + at / ENTRY_BYTES;
      readSync(this.#log, frame, 0, frame.length, frameOffset(number, header.pageBytes));
      entries.writeUInt32LE(frame.readUInt32BE(PAGE_AT), at);
      entries.writeUInt32LE(crc32(frame.subarray(FRAME_HEADER_BYTES)), at + 4);
    }
    writeSync(this.#file, entries, 0, entries.length, this.#from + ENTRY_BYTES * this.#frames);
    this.#frames = frames;
    // The last frame is that of a commit, which has the number.
    this.#sums = {
      pageCount: frame.readUInt32BE(PAGE_COUNT_AT),
      entriesSum: crc32(entries, this.#sums.entriesSum),
    };
    return this.#sums;
  }
}

/**
 * Reads entries back.
 * @param content what is in the file from the first entry on
 * @returns the last checksum of each page; null where they are not what was written
 */
export function readLoggedPages(
  content: Buffer,
  frames: number,
  { entriesSum }: LoggedSums,
): ReadonlyMap<number, number> | null {
  const entries = content.subarray(0, ENTRY_BYTES * frames);
  if (entries.length < ENTRY_BYTES * frames || crc32(entries) !== entriesSum) return null;
  const sums = new Map<number, number>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES)
    sums.set(entries.readUInt32LE(at), entries.readUInt32LE(at + 4));
  return sums;
}
