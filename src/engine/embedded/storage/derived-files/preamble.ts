// The first 64 bytes of a snapshot file: its identity, and where everything else lies.
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { UnusableFile } from './unusable.ts';

/** Chunks as they are. */
const FORMAT_PLAIN = 1;
/** Some parts are compressed, so that the table has the lengths of chunks, too. */
const FORMAT_PACKED = 2;
export const PREAMBLE_BYTES = 64;
/** Bytes of a checksum in the table of chunks, and of a length, which follows in packed files. */
export const SUM_BYTES = 4;
const LENGTH_BYTES = 4;
/** The header and the list of parts. */
export const HEAD_BYTES_MAX = 64 * 1_048_576;
/** These limit what a reader allocates. */
export const CHUNK_BYTES_MIN = 4_096;
export const CHUNK_BYTES_MAX = 16 * 1_048_576;

/** A byte above 127, line ends and an end-of-file mark show what a text transfer has done to the file. */
const MAGIC = Buffer.from('\x89PNYS\r\n\x1a', 'latin1');
/** Memory is stored as it is, in the byte order of the machine that wrote it. */
const BYTE_ORDER = endianness() === 'LE' ? 1 : 2;

/** Offsets. Magic, version and checksum have the same offsets in every version of the format. */
const At = {
  version: 8,
  byteOrder: 12,
  fileBytes: 16,
  headBytes: 24,
  headSum: 28,
  chunkBytes: 32,
  chunkCount: 36,
  tableSum: 40,
  id: 44,
  sum: 60,
} as const;
const ID_BYTES = 8;

export interface Preamble {
  /** Hexadecimal; differs for each file written. */
  readonly id: string;
  readonly isPacked: boolean;
  readonly fileBytes: number;
  readonly headBytes: number;
  readonly headSum: number;
  readonly chunkBytes: number;
  readonly chunkCount: number;
  readonly tableSum: number;
}

/** Bytes of a chunk in the table. */
export function entryBytes({ isPacked }: Pick<Preamble, 'isPacked'>): number {
  return isPacked ? SUM_BYTES + LENGTH_BYTES : SUM_BYTES;
}

/** Where the first chunk begins in a file. */
export function dataStart(preamble: Pick<Preamble, 'headBytes' | 'chunkCount' | 'isPacked'>): number {
  return PREAMBLE_BYTES + preamble.headBytes + preamble.chunkCount * entryBytes(preamble);
}

export function encodePreamble(preamble: Preamble): Buffer {
  const bytes = Buffer.alloc(PREAMBLE_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(preamble.isPacked ? FORMAT_PACKED : FORMAT_PLAIN, At.version);
  bytes.writeUInt32LE(BYTE_ORDER, At.byteOrder);
  bytes.writeBigUInt64LE(BigInt(preamble.fileBytes), At.fileBytes);
  bytes.writeUInt32LE(preamble.headBytes, At.headBytes);
  bytes.writeUInt32LE(preamble.headSum, At.headSum);
  bytes.writeUInt32LE(preamble.chunkBytes, At.chunkBytes);
  bytes.writeUInt32LE(preamble.chunkCount, At.chunkCount);
  bytes.writeUInt32LE(preamble.tableSum, At.tableSum);
  bytes.write(preamble.id, At.id, ID_BYTES, 'hex');
  bytes.writeUInt32LE(crc32(bytes.subarray(0, At.sum)), At.sum);
  return bytes;
}

/**
 * @param bytes the file's first ones, at most PREAMBLE_BYTES
 * @throws UnusableFile
 */
export function decodePreamble(bytes: Buffer): Preamble {
  const magic = bytes.subarray(0, MAGIC.length);
  if (!magic.equals(MAGIC.subarray(0, magic.length)))
    throw new UnusableFile('foreign', 'it does not begin as snapshots do');
  if (bytes.length < PREAMBLE_BYTES) throw new UnusableFile('damaged', `it has only ${bytes.length} bytes`);
  if (crc32(bytes.subarray(0, At.sum)) !== bytes.readUInt32LE(At.sum))
    throw new UnusableFile('damaged', 'the checksum of its first bytes is wrong');
  const version = bytes.readUInt32LE(At.version);
  assertVersion(version);
  if (bytes.readUInt32LE(At.byteOrder) !== BYTE_ORDER)
    throw new UnusableFile('foreign', 'it was written on a machine of other byte order');
  return assertSane({
    id: bytes.toString('hex', At.id, At.id + ID_BYTES),
    isPacked: version === FORMAT_PACKED,
    fileBytes: Number(bytes.readBigUInt64LE(At.fileBytes)),
    headBytes: bytes.readUInt32LE(At.headBytes),
    headSum: bytes.readUInt32LE(At.headSum),
    chunkBytes: bytes.readUInt32LE(At.chunkBytes),
    chunkCount: bytes.readUInt32LE(At.chunkCount),
    tableSum: bytes.readUInt32LE(At.tableSum),
  });
}

function assertVersion(version: number): void {
  if (version > FORMAT_PACKED) throw new UnusableFile('newer', `it has format ${version}`);
  if (version < FORMAT_PLAIN) throw new UnusableFile('foreign', `it has format ${version}`);
}

/** A checksum can match by chance or malice: nothing is allocated because of it alone. */
function assertSane(preamble: Preamble): Preamble {
  const { fileBytes, headBytes, chunkBytes } = preamble;
  const sane =
    headBytes <= HEAD_BYTES_MAX &&
    chunkBytes >= CHUNK_BYTES_MIN &&
    chunkBytes <= CHUNK_BYTES_MAX &&
    dataStart(preamble) <= fileBytes;
  if (!sane) throw new UnusableFile('damaged', 'its first bytes contradict themselves');
  return preamble;
}
