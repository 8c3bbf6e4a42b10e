// The frames of SQLite's write-ahead log, as its file format describes them: https://www.sqlite.org/fileformat2.html
const HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** The lowest bit says that checksums are of big-endian words. */
const MAGIC = 0x377f_0682;
const PAGE_SIZE_AT = 8;
const SALTS_AT = 16;
const HEADER_SUM_AT = 24;
/** Parts of a frame's header. */
const PAGES_AT = 4;
const FRAME_SALTS_AT = 8;
const FRAME_SUM_AT = 16;

/** One number for each generation of the log: the first rises by one, the second is random. */
export type Salts = readonly [number, number];
/** Of everything before in the log. */
export type LogSum = readonly [number, number];

export interface LogHeader {
  readonly isBigEndian: boolean;
  readonly pageBytes: number;
  readonly salts: Salts;
  readonly sum: LogSum;
}

/** @returns null when it is too short, or does not have its checksum */
export function parseLogHeader(log: Buffer): LogHeader | null {
  if (log.length < HEADER_BYTES) return null;
  const magic = log.readUInt32BE(0);
  if ((magic & ~1) !== MAGIC) return null;
  const isBigEndian = (magic & 1) === 1;
  const sum = sumOf(log.subarray(0, HEADER_SUM_AT), [0, 0], isBigEndian);
  if (!isSame(sum, pairAt(log, HEADER_SUM_AT))) return null;
  return { isBigEndian, pageBytes: log.readUInt32BE(PAGE_SIZE_AT), salts: pairAt(log, SALTS_AT), sum };
}

/** Where a frame begins; frames count from 0. */
export function frameOffset(frame: number, pageBytes: number): number {
  return HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes);
}

export interface FrameHeader {
  readonly salts: Salts;
  readonly isCommit: boolean;
  readonly sum: LogSum;
}

/** @returns null when there is no whole header */
export function parseFrameHeader(bytes: Buffer, at = 0): FrameHeader | null {
  if (at + FRAME_HEADER_BYTES > bytes.length) return null;
  return {
    salts: pairAt(bytes, at + FRAME_SALTS_AT),
    isCommit: bytes.readUInt32BE(at + PAGES_AT) !== 0,
    sum: pairAt(bytes, at + FRAME_SUM_AT),
  };
}

/** The checksums of the frames that are whole, and follow the header of the log without a gap. */
export function* wholeFrames(
  log: Buffer,
  { isBigEndian, pageBytes, salts, sum }: LogHeader,
): Generator<LogSum> {
  let before = sum;
  for (let frame = 0; ; frame++) {
    const at = frameOffset(frame, pageBytes);
    const header = parseFrameHeader(log, at);
    const content = at + FRAME_HEADER_BYTES;
    if (header === null || content + pageBytes > log.length || !isSame(header.salts, salts)) return;
    const begun = sumOf(log.subarray(at, at + FRAME_SALTS_AT), before, isBigEndian);
    before = sumOf(log.subarray(content, content + pageBytes), begun, isBigEndian);
    if (!isSame(before, header.sum)) return;
    yield before;
  }
}

export function isSame(one: readonly [number, number], other: readonly [number, number]): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

function sumOf(bytes: Buffer, [first, second]: LogSum, isBigEndian: boolean): LogSum {
  let [one, other] = [first, second];
  const word = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + word(at) + other) >>> 0;
    other = (other + word(at + 4) + one) >>> 0;
  }
  return [one, other];
}

function pairAt(bytes: Buffer, at: number): readonly [number, number] {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}
