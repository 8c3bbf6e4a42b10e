// The frames of a copy. Each has the id of the copy, its number, its kind and checksums, so that nothing of a damaged,
// truncated or reordered copy is ever used.
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CopyFailed } from '../../port/copy-failed.ts';
import { EMBEDDED_MAGIC as MAGIC } from '../../port/copy-forms.ts';
import { FRAME_BYTES, FrameBuffers, HEADER_BYTES } from './frame-buffers.ts';
import { decode, Encoding, encode } from './frame-encoding.ts';

/** Raise it when older releases would misread what is written. */
export const COPY_FORMAT = 1;

export const Kind = { head: 1, table: 2, rows: 3, file: 4, content: 5, end: 6 } as const;
export type FrameKind = (typeof Kind)[keyof typeof Kind];

export interface Frame {
  readonly kind: number;
  /** Number of the table or file. */
  readonly label: number;
  readonly payload: Buffer;
}

export interface FrameOptions {
  readonly kind: FrameKind;
  /** Default 0. */
  readonly label?: number;
  /** Whether `frame` compresses it; default false. */
  readonly shrinks?: boolean;
}

export const COPY_ID_BYTES = 8;
/** Limits what a reader allocates. */
const PAYLOAD_BYTES_MAX = 2 ** 30;
/** Offsets; all numbers little-endian. Magic, format and the last checksum have the same offsets in every format. */
const At = {
  magic: 0,
  format: 4,
  kind: 5,
  label: 6,
  copy: 8,
  number: 16,
  bytes: 20,
  expandedBytes: 24,
  encoding: 28,
  payloadSum: 32,
  sum: 36,
} as const;

/** Writes the frames of one copy, in order. */
export class FrameWriter {
  readonly #copyId: Buffer;
  readonly #buffers: FrameBuffers;
  readonly #hash: Hash = createHash('sha256');
  #number = 0;

  /** @param copyId random, COPY_ID_BYTES long */
  constructor(copyId: Buffer, buffers = new FrameBuffers()) {
    this.#copyId = copyId;
    this.#buffers = buffers;
  }

  /** Number of frames written so far. */
  get count(): number {
    return this.#number;
  }

  /** SHA-256 of all frames, in hexadecimal. Call once, after the last. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  /** The next frame, in a buffer of its own. */
  frame(options: FrameOptions, payload: Uint8Array): Uint8Array<ArrayBuffer> {
    const encoded = options.shrinks === true ? encode(payload) : { encoding: Encoding.plain, bytes: payload };
    const buffer = this.#buffers.take(encoded.bytes.length);
    buffer.set(encoded.bytes, HEADER_BYTES);
    return this.#finished(options, buffer, { encoding: encoded.encoding, expandedBytes: payload.length });
  }

  /** As `frame`, for a payload that `fill` writes to the buffer it is sent from; compressed where that helps. */
  frameOf(options: FrameOptions, bytes: number, fill: (into: Buffer) => void): Uint8Array<ArrayBuffer> {
    const buffer = this.#buffers.take(bytes);
    const payload = buffer.subarray(HEADER_BYTES);
    fill(payload);
    const { encoding, bytes: smaller } = encode(payload);
    if (encoding === Encoding.plain)
      return this.#finished(options, buffer, { encoding, expandedBytes: bytes });
    buffer.set(smaller, HEADER_BYTES);
    const used = buffer.subarray(0, HEADER_BYTES + smaller.length);
    return this.#finished(options, used, { encoding, expandedBytes: bytes });
  }

  /** @param frame buffer with the stored payload behind the header */
  #finished(
    { kind, label = 0 }: FrameOptions,
    frame: Buffer<ArrayBuffer>,
    { encoding, expandedBytes }: { readonly encoding: number; readonly expandedBytes: number },
  ): Uint8Array<ArrayBuffer> {
    const stored = frame.subarray(HEADER_BYTES);
    frame.writeUInt32LE(MAGIC, At.magic);
    frame.writeUInt8(COPY_FORMAT, At.format);
    frame.writeUInt8(kind, At.kind);
    frame.writeUInt16LE(label, At.label);
    this.#copyId.copy(frame, At.copy);
    frame.writeUInt32LE(this.#number++, At.number);
    frame.writeUInt32LE(stored.length, At.bytes);
    frame.writeUInt32LE(expandedBytes, At.expandedBytes);
    frame.writeUInt8(encoding, At.encoding);
    // The buffer may have held another frame before.
    frame.fill(0, At.encoding + 1, At.payloadSum);
    frame.writeUInt32LE(crc32(stored), At.payloadSum);
    frame.writeUInt32LE(crc32(frame.subarray(0, At.sum)), At.sum);
    this.#hash.update(frame);
    return new Uint8Array(frame.buffer, frame.byteOffset, frame.length);
  }
}

interface Header {
  readonly kind: number;
  readonly label: number;
  readonly bytes: number;
  readonly expandedBytes: number;
  readonly encoding: number;
  readonly payloadSum: number;
}

/** Reads a copy. Frames are complete and verified, or not returned at all. */
export class FrameReader {
  readonly #hash: Hash = createHash('sha256');
  #copyId: Buffer | null = null;
  #number = 0;
  #header: Header | null = null;
  /** The header or payload that is being filled. */
  #into = Buffer.alloc(HEADER_BYTES);
  #filled = 0;
  /** Reused for payloads that nobody keeps. */
  #reused = Buffer.alloc(0);

  /** Number of complete frames. */
  get count(): number {
    return this.#number;
  }

  /** True within a frame. */
  get isWithinFrame(): boolean {
    return this.#header !== null || this.#filled > 0;
  }

  /** SHA-256 of all bytes, in hexadecimal. Call once, after the last chunk. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  /** The frames that end within `chunk`; payloads of rows and content are valid until the next one. @throws CopyFailed */
  *read(chunk: Uint8Array): Generator<Frame> {
    this.#hash.update(chunk);
    for (let at = 0; at < chunk.length; ) {
      const length = Math.min(chunk.length - at, this.#into.length - this.#filled);
      this.#into.set(chunk.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled < this.#into.length) return;
      if (this.#header === null) this.#begin(this.#parse(this.#into));
      if (this.#header !== null && this.#filled === this.#into.length) yield this.#complete(this.#header);
    }
  }

  #begin(header: Header): void {
    this.#header = header;
    this.#into = this.#bufferFor(header);
    this.#filled = 0;
  }

  #bufferFor({ kind, bytes }: Header): Buffer<ArrayBuffer> {
    if (kind !== Kind.rows && kind !== Kind.content) return Buffer.allocUnsafeSlow(bytes);
    if (this.#reused.length < bytes) this.#reused = Buffer.allocUnsafeSlow(Math.max(bytes, FRAME_BYTES));
    return this.#reused.subarray(0, bytes);
  }

  #complete({ kind, label, encoding, expandedBytes, payloadSum }: Header): Frame {
    const bytes = this.#into;
    if (crc32(bytes) !== payloadSum) throw damaged(`the checksum of its frame ${this.#number} is wrong`);
    const payload = decode({ encoding, bytes }, expandedBytes);
    if (payload === null) throw damaged(`its frame ${this.#number} does not decompress to its length`);
    this.#header = null;
    this.#into = Buffer.alloc(HEADER_BYTES);
    this.#filled = 0;
    this.#number++;
    return { kind, label, payload };
  }

  #parse(bytes: Buffer): Header {
    if (bytes.readUInt32LE(At.magic) !== MAGIC)
      throw damaged(`its frame ${this.#number} does not belong to a copy`);
    if (crc32(bytes.subarray(0, At.sum)) !== bytes.readUInt32LE(At.sum))
      throw damaged(`the checksum of the header of its frame ${this.#number} is wrong`);
    const format = bytes.readUInt8(At.format);
    if (format > COPY_FORMAT) throw new CopyFailed('newer', `the copy has format ${format}`);
    this.#copyId ??= Buffer.from(bytes.subarray(At.copy, At.copy + COPY_ID_BYTES));
    if (!this.#copyId.equals(bytes.subarray(At.copy, At.copy + COPY_ID_BYTES)))
      throw damaged(`its frame ${this.#number} belongs to another copy`);
    if (bytes.readUInt32LE(At.number) !== this.#number)
      throw damaged(`frame ${bytes.readUInt32LE(At.number)} comes where frame ${this.#number} belongs`);
    const expandedBytes = bytes.readUInt32LE(At.expandedBytes);
    const isLong = bytes.readUInt32LE(At.bytes) > expandedBytes || expandedBytes > PAYLOAD_BYTES_MAX;
    if (isLong) throw damaged(`its frame ${this.#number} is too long`);
    return {
      kind: bytes.readUInt8(At.kind),
      label: bytes.readUInt16LE(At.label),
      bytes: bytes.readUInt32LE(At.bytes),
      expandedBytes,
      encoding: bytes.readUInt8(At.encoding),
      payloadSum: bytes.readUInt32LE(At.payloadSum),
    };
  }
}

export function damaged(what: string): CopyFailed {
  return new CopyFailed('damaged', `the copy cannot be used: ${what}`);
}
