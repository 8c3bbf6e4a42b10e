// How far the catalog's log (the WAL) was committed, in a file beside it. SQLite takes a log that is damaged, cut, removed
// or older for one that was never longer, and drops its last commits without a word.
//
// The file is written after each commit, and not synced: after a kill it is right, and after a power loss it may tell of
// an earlier commit, which the log has, too. It is synced only before SQLite removes the log.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../platform/durable-files.ts';
import {
  frameOffset,
  isSame,
  type LogHeader,
  type LogSum,
  parseFrameHeader,
  parseLogHeader,
  type Salts,
  wholeFrames,
} from './log-frames.ts';

const MAGIC = 0x504e_594c;
const FILE_BYTES = 40;
const SUM_AT = 36;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

interface End {
  readonly salts: Salts;
  /** Of all commits; 0 when the main file has everything. */
  readonly frames: number;
  /** Of the last of them. */
  readonly sum: LogSum;
  /** Milliseconds since 1970. */
  readonly committedAt: number;
}

export function logEndPath(path: string): string {
  return path.replace(/(\.sqlite)?$/, '.log-end');
}

/** @returns what of the commits in the log is lost; null when nothing is, or nothing says how many there were */
export function logProblem(path: string): string | null {
  const end = readEnd(logEndPath(path));
  if (end === null || end.frames === 0) return null;
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
  const last = `the last commit was at ${new Date(end.committedAt).toISOString()}`;
  const header = parseLogHeader(log);
  if (header === null) return `its log is missing or damaged; ${last}`;
  if (!isSame(header.salts, end.salts)) {
    // SQLite begins the log anew only when the main file has everything of the one before.
    const isLater = ((header.salts[0] - end.salts[0]) | 0) > 0;
    return isLater ? null : `its log is an older one; ${last}`;
  }
  const sums = [...wholeFrames(log, header)];
  const sum = sums[end.frames - 1];
  if (sum !== undefined && isSame(sum, end.sum)) return null;
  return `its log has ${Math.min(sums.length, end.frames - 1)} of ${end.frames} committed pages; ${last}`;
}

/** Follows the log of an open catalog. */
export class LogEnd {
  readonly #file: number;
  readonly #log: number;
  #header: LogHeader | null = null;
  #frames = 0;

  /** @param path of the catalog, whose log exists */
  constructor(path: string) {
    const isNew = !existsSync(logEndPath(path));
    this.#file = openSync(logEndPath(path), isNew ? 'w+' : 'r+', 0o600);
    this.#log = openSync(`${path}-wal`, 'r');
    if (isNew) syncFolder(dirname(path));
  }

  /** Call between transactions: notes what was committed since the last call. */
  advance(): void {
    let last: LogSum | null = null;
    if (!this.#hasFrame()) this.#follow();
    for (let frame = this.#frames; ; frame++) {
      const header = this.#frame(frame);
      if (header === null) break;
      if (!header.isCommit) continue;
      this.#frames = frame + 1;
      last = header.sum;
    }
    if (last !== null) this.#save({ frames: this.#frames, sum: last });
  }

  /** Call when the main file has everything. */
  empty(): void {
    this.#save({ frames: 0, sum: [0, 0] });
  }

  /** Call before the log is removed. */
  sync(): void {
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
    closeSync(this.#log);
  }

  #hasFrame(): boolean {
    return this.#frame(this.#frames) !== null;
  }

  /** The header of a frame of the present log; null when it is not there yet. */
  #frame(frame: number) {
    if (this.#header === null) return null;
    const bytes = this.#read(frameOffset(frame, this.#header.pageBytes), FRAME_HEADER_BYTES);
    const header = parseFrameHeader(bytes);
    return header !== null && isSame(header.salts, this.#header.salts) ? header : null;
  }

  /** From its beginning, if SQLite has begun the log anew. */
  #follow(): void {
    const header = parseLogHeader(this.#read(0, LOG_HEADER_BYTES));
    if (header === null || (this.#header !== null && isSame(header.salts, this.#header.salts))) return;
    this.#header = header;
    this.#frames = 0;
  }

  #read(from: number, bytes: number): Buffer {
    const into = Buffer.alloc(bytes);
    return into.subarray(0, readSync(this.#log, into, 0, bytes, from));
  }

  #save({ frames, sum }: Pick<End, 'frames' | 'sum'>): void {
    const content = Buffer.alloc(FILE_BYTES);
    content.writeUInt32LE(MAGIC, 0);
    const [salt, other] = this.#header?.salts ?? [0, 0];
    const numbers = [salt, other, frames, ...sum];
    for (const [i, number] of numbers.entries()) content.writeUInt32LE(number, 4 + 4 * i);
    content.writeDoubleLE(Date.now(), 24);
    content.writeUInt32LE(crc32(content.subarray(0, SUM_AT)), SUM_AT);
    writeSync(this.#file, content, 0, FILE_BYTES, 0);
  }
}

/** @returns null when there is none that can be read */
function readEnd(path: string): End | null {
  if (!existsSync(path)) return null;
  const content = readFileSync(path);
  if (content.length !== FILE_BYTES || content.readUInt32LE(0) !== MAGIC) return null;
  if (content.readUInt32LE(SUM_AT) !== crc32(content.subarray(0, SUM_AT))) return null;
  return {
    salts: [content.readUInt32LE(4), content.readUInt32LE(8)],
    frames: content.readUInt32LE(12),
    sum: [content.readUInt32LE(16), content.readUInt32LE(20)],
    committedAt: content.readDoubleLE(24),
  };
}
