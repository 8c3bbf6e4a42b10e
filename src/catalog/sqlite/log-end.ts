// How far the catalog's log (the WAL) was committed, in a file beside it. SQLite takes a log that is damaged, cut, removed
// or older for one that was never longer, and drops its last commits without a word.
//
// The file is written after each commit: after a kill it is right. It is synced with the first commit of each generation
// of the log and before SQLite removes the log: after a power loss it may tell of an earlier commit, which the log has,
// too. So only the first commit of a log may be missing in it. Checksums of the log's pages follow (logged-pages.ts).
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../platform/durable-files.ts';
import {
  FRAME_HEADER_BYTES,
  frameOffset,
  isSame,
  type LogHeader,
  type LogSum,
  parseFrameHeader,
  parseLogHeader,
  type Salts,
  wholeFrames,
} from './log-frames.ts';
import { LoggedPages, type LoggedSums, readLoggedPages } from './logged-pages.ts';
import { warn } from './warn.ts';

const MAGIC = 0x504e_594d;
const FILE_BYTES = 48;
const MOVED_AT = 32;
const PAGE_COUNT_AT = 36;
const ENTRIES_SUM_AT = 40;
const SUM_AT = 44;
/**
 * By how much the first salt may have risen since the end was saved: it does by one with each generation, of which a
 * power loss may hide some hundreds. A new log has random salts, most of which are farther away.
 */
const GENERATIONS_MAX = 2 ** 20;
const LOG_HEADER_BYTES = 32;
/** With these, no main file has everything of a log that is gone. */
const UNKNOWN: LoggedSums = { pageCount: 0, entriesSum: 0 };

interface End extends LoggedSums {
  readonly salts: Salts;
  /** Of all commits; 0 before the first. */
  readonly frames: number;
  /** True when the main file has everything, so that SQLite may remove the log or begin it anew. */
  readonly isMoved: boolean;
  /** Of the last of them. */
  readonly sum: LogSum;
  /** Milliseconds since 1970. */
  readonly committedAt: number;
}

export function logEndPath(path: string): string {
  return path.replace(/(\.sqlite)?$/, '.log-end');
}

/** Without it, the main file may be of any state. */
export const LOG_MISSING = 'its log is missing or damaged';

/** @returns what of the commits in the log is lost; null when nothing is, or nothing says how many there were */
export function logProblem(path: string): string | null {
  const end = readEnd(logEndPath(path));
  if (end === null) return null;
  const problem = problemOf(logOf(path), end);
  return problem && `${problem}; the last commit was at ${new Date(end.committedAt).toISOString()}`;
}

/** What the main file must be like to have everything of a log that is gone. */
export interface MovedLog {
  readonly pageCount: number;
  /** Checksums of the pages that the log had, by their numbers from 1 on. The others are as they were. */
  readonly sums: ReadonlyMap<number, number>;
}

/** @returns null where the log is there, or need not be, or nothing says what it had */
export function missingLog(path: string): MovedLog | null {
  const end = readEnd(logEndPath(path));
  if (end === null || end.isMoved || parseLogHeader(logOf(path)) !== null) return null;
  const entries = readFileSync(logEndPath(path)).subarray(FILE_BYTES);
  const sums = readLoggedPages(entries, end.frames, end);
  return sums && { pageCount: end.pageCount, sums };
}

function logOf(path: string): Buffer {
  return existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
}

function problemOf(log: Buffer, end: End): string | null {
  const header = parseLogHeader(log);
  // SQLite, too, takes what has no header for an empty log.
  if (header === null) return end.isMoved ? null : LOG_MISSING;
  if (!isSame(header.salts, end.salts))
    return isSuccessor(log, header, end) ? null : 'its log is an older one';
  const sums = [...wholeFrames(log, header)];
  const sum = sums[end.frames - 1];
  const isWhole = end.frames === 0 || (sum !== undefined && isSame(sum, end.sum));
  if (isWhole || (end.isMoved && sums.length === 0)) return null;
  return `its log has ${Math.min(sums.length, end.frames - 1)} of ${end.frames} committed pages`;
}

/** Whether a log of another generation may follow the one whose end was saved. */
function isSuccessor(log: Buffer, header: LogHeader, end: End): boolean {
  // SQLite begins the log anew only when the main file has everything of the one before.
  const generations = (header.salts[0] - end.salts[0]) | 0;
  if (generations > 0 && generations <= GENERATIONS_MAX) return true;
  return end.isMoved && commitsIn(log, header) <= 1;
}

function commitsIn(log: Buffer, header: LogHeader): number {
  const frames = [...wholeFrames(log, header)].keys();
  return frames
    .filter((frame) => parseFrameHeader(log, frameOffset(frame, header.pageBytes))?.isCommit)
    .toArray().length;
}

/** Follows the log of an open catalog. */
export class LogEnd {
  readonly #file: number;
  readonly #log: number;
  readonly #pages: LoggedPages;
  #header: LogHeader | null = null;
  #frames = 0;
  #sum: LogSum = [0, 0];
  /** The generation of the log that a synced file tells of. */
  #synced: LogHeader | null = null;

  /** @param path of the catalog, whose log exists */
  constructor(path: string) {
    const isNew = !existsSync(logEndPath(path));
    this.#file = openSync(logEndPath(path), isNew ? 'w+' : 'r+', 0o600);
    this.#log = openSync(`${path}-wal`, 'r');
    this.#pages = new LoggedPages({ file: this.#file, from: FILE_BYTES, log: this.#log });
    if (isNew) syncFolder(dirname(path));
  }

  /**
   * Call between transactions: notes what was committed since the last call. The log itself does not say that: a commit
   * that the disk refused may have left its last frame there, whole or without its page.
   * @param frames of the log that SQLite holds for committed
   */
  advance(frames: number): void {
    const header = this.#present();
    // A log of another generation begins with its first commit, until which SQLite tells the frames of the one before.
    if (header === null || frames === 0 || (header === this.#header && frames === this.#frames)) return;
    const last = parseFrameHeader(this.#read(frameOffset(frames - 1, header.pageBytes), FRAME_HEADER_BYTES));
    if (last === null || !isSame(last.salts, header.salts)) return;
    this.#header = header;
    this.#frames = frames;
    this.#sum = last.sum;
    this.#save({ isMoved: false });
    if (this.#synced !== this.#header) this.sync();
    this.#synced = this.#header;
  }

  /** Call when the main file has everything. */
  empty(): void {
    this.#save({ isMoved: true });
  }

  /** Call before the log is removed. */
  sync(): void {
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
    closeSync(this.#log);
  }

  /** The header of the log: the same object as long as SQLite has not begun it anew. */
  #present(): LogHeader | null {
    const header = parseLogHeader(this.#read(0, LOG_HEADER_BYTES));
    return header !== null && this.#header !== null && isSame(header.salts, this.#header.salts)
      ? this.#header
      : header;
  }

  #read(from: number, bytes: number): Buffer {
    const into = Buffer.alloc(bytes);
    return into.subarray(0, readSync(this.#log, into, 0, bytes, from));
  }

  #logged(): LoggedSums {
    try {
      return this.#pages.note(this.#header, this.#frames);
    } catch (error) {
      // The file grows by them, and on a full disk cannot. The commit is on disk all the same.
      warn("The checksums of the catalog's log could not be kept", error);
      return UNKNOWN;
    }
  }

  #save({ isMoved }: Pick<End, 'isMoved'>): void {
    const { pageCount, entriesSum } = this.#logged();
    const content = Buffer.alloc(FILE_BYTES);
    content.writeUInt32LE(MAGIC, 0);
    const [salt, other] = this.#header?.salts ?? [0, 0];
    const numbers = [salt, other, this.#frames, ...this.#sum];
    for (const [i, number] of numbers.entries()) content.writeUInt32LE(number, 4 + 4 * i);
    content.writeDoubleLE(Date.now(), 24);
    content.writeUInt32LE(Number(isMoved), MOVED_AT);
    content.writeUInt32LE(pageCount, PAGE_COUNT_AT);
    content.writeUInt32LE(entriesSum, ENTRIES_SUM_AT);
    content.writeUInt32LE(crc32(content.subarray(0, SUM_AT)), SUM_AT);
    writeSync(this.#file, content, 0, FILE_BYTES, 0);
  }
}

/** @returns null when there is none that can be read */
function readEnd(path: string): End | null {
  if (!existsSync(path)) return null;
  const content = readFileSync(path);
  if (content.length < FILE_BYTES || content.readUInt32LE(0) !== MAGIC) return null;
  if (content.readUInt32LE(SUM_AT) !== crc32(content.subarray(0, SUM_AT))) return null;
  const frames = content.readUInt32LE(12);
  return {
    salts: [content.readUInt32LE(4), content.readUInt32LE(8)],
    frames,
    isMoved: frames === 0 || content.readUInt32LE(MOVED_AT) === 1,
    sum: [content.readUInt32LE(16), content.readUInt32LE(20)],
    committedAt: content.readDoubleLE(24),
    pageCount: content.readUInt32LE(PAGE_COUNT_AT),
    entriesSum: content.readUInt32LE(ENTRIES_SUM_AT),
  };
}
