// Reads parts of a zip archive. Checks their sizes before decompressing, and enforces them while decompressing.
import { inflateRawSync } from 'node:zlib';
import { type ParseLimits, RATIO_CHECKED_BYTES } from '../limits.ts';
import { refusal } from '../refusal.ts';

// Layout: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (its end).
const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;
const ENTRIES_MAX = 10_000;

interface ZipEntry {
  readonly method: number;
  readonly encrypted: boolean;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localAt: number;
}

export class ZipArchive {
  readonly #file: Buffer;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly #limits: ParseLimits;
  #unpackedBytes = 0;

  /** @throws DocumentRefusal `corrupt` or `too-large` */
  constructor(bytes: Uint8Array, limits: ParseLimits) {
    this.#file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
    this.#entries = reading(() => readDirectory(this.#file));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Returns the bytes of a part. All parts read count toward `unpackedBytesMax`; `unpackRatioMax` applies to each.
   * @throws DocumentRefusal `corrupt`, `encrypted` or `too-large`
   */
  read(name: string): Buffer {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw refusal('corrupt', { detail: `its part ${name} is missing` });
    this.#admit(entry);
    return reading(() => unpack(this.#file, entry));
  }

  #admit(entry: ZipEntry): void {
    const { unpackedBytesMax, unpackRatioMax } = this.#limits;
    if (entry.encrypted) throw refusal('encrypted');
    this.#unpackedBytes += entry.bytes;
    if (this.#unpackedBytes > unpackedBytesMax) {
      throw refusal('too-large', { detail: `it decompresses to more than ${unpackedBytesMax} bytes` });
    }
    if (entry.bytes > RATIO_CHECKED_BYTES && entry.bytes > entry.packedBytes * unpackRatioMax) {
      throw refusal('too-large', { detail: `it decompresses to more than ${unpackRatioMax} times its size` });
    }
  }
}

/** Reports reads beyond the end of the file, and invalid compressed data, as a corrupt file. */
function reading<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && 'code' in error)) {
      throw refusal('corrupt', { detail: 'it is not a complete zip archive' });
    }
    throw error;
  }
}

function readDirectory(file: Buffer): ReadonlyMap<string, ZipEntry> {
  const endAt = findEnd(file);
  const count = file.readUInt16LE(endAt + 10);
  if (count > ENTRIES_MAX) throw refusal('too-large', { detail: `it has more than ${ENTRIES_MAX} parts` });
  const entries = new Map<string, ZipEntry>();
  let at = file.readUInt32LE(endAt + 16);
  for (let number = 0; number < count; number++) {
    if (file.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new RangeError('no directory entry here');
    const nameBytes = file.readUInt16LE(at + 28);
    const nameAt = at + ENTRY_BYTES;
    entries.set(file.toString('utf8', nameAt, nameAt + nameBytes), {
      encrypted: (file.readUInt16LE(at + 8) & ENCRYPTED_FLAG) !== 0,
      method: file.readUInt16LE(at + 10),
      packedBytes: file.readUInt32LE(at + 20),
      bytes: file.readUInt32LE(at + 24),
      localAt: file.readUInt32LE(at + 42),
    });
    at = nameAt + nameBytes + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return entries;
}

function findEnd(file: Buffer): number {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END_SIGNATURE);
  const at = file.lastIndexOf(signature, Math.max(0, file.length - END_BYTES));
  if (at < 0 || at < file.length - END_BYTES - COMMENT_BYTES_MAX) throw new RangeError('no end of directory');
  return at;
}

/** Decompresses up to the size that the directory claims, and not one byte more. */
function unpack(file: Buffer, entry: ZipEntry): Buffer {
  const { localAt, packedBytes, bytes } = entry;
  if (file.readUInt32LE(localAt) !== LOCAL_SIGNATURE) throw new RangeError('no local header here');
  const dataAt = localAt + LOCAL_BYTES + file.readUInt16LE(localAt + 26) + file.readUInt16LE(localAt + 28);
  if (dataAt + packedBytes > file.length) throw new RangeError('a part ends beyond the file');
  const packed = file.subarray(dataAt, dataAt + packedBytes);
  if (entry.method === STORED) return packed;
  if (entry.method !== DEFLATED) throw new RangeError('unknown compression method');
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes) });
}
