// Writes the primitives of protobuf messages into one growing buffer.
import { Buffer } from 'node:buffer';
import { fault } from '../../domain/faults.ts';
import { WIRE } from './message-reader.ts';

const FIRST_BYTES = 64 * 1024;
/** Larger buffers are not kept for the next message. */
const KEPT_BYTES_MAX = 1024 * 1024;
const VARINT_BYTES_MAX = 10;
const FIXED_BYTES_MAX = 8;
const TWO_TO_32 = 2 ** 32;
const TAG_TYPE_BITS = 3;

/**
 * The buffer of the latest message, kept because memory outside V8's heap triggers collections and responses are many.
 * A writer takes it and puts it back, so that no two writers share it.
 */
let spare: Buffer | null = null;

export interface WriterBounds {
  /** Bytes left free at the start for a header. */
  readonly headBytes?: number;
  /** Bound on everything but the header. */
  readonly bytesMax?: number;
}

export class MessageWriter {
  #bytes: Buffer;
  #at: number;
  readonly #bytesMax: number;

  constructor({ headBytes = 0, bytesMax = Number.POSITIVE_INFINITY }: WriterBounds = {}) {
    this.#bytes = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES);
    spare = null;
    this.#at = headBytes;
    this.#bytesMax = headBytes + bytesMax;
  }

  /** Returns the bytes in a buffer of their own, because a view is transferred with its whole buffer. Ends the writer. */
  finish(): Uint8Array<ArrayBuffer> {
    const written = new Uint8Array(this.#bytes.subarray(0, this.#at));
    if (this.#bytes.length <= KEPT_BYTES_MAX) spare = this.#bytes;
    this.#bytes = Buffer.alloc(0);
    return written;
  }

  /** Whole numbers from 0 to 2^53. */
  varint(number: number, value: number): void {
    this.#makeRoom(2 * VARINT_BYTES_MAX);
    this.#tag(number, WIRE.varint);
    this.#varint(value);
  }

  float(number: number, value: number): void {
    this.#makeRoom(VARINT_BYTES_MAX + FIXED_BYTES_MAX);
    this.#tag(number, WIRE.fixed32);
    this.#at = this.#bytes.writeFloatLE(value, this.#at);
  }

  double(number: number, value: number): void {
    this.#makeRoom(VARINT_BYTES_MAX + FIXED_BYTES_MAX);
    this.#tag(number, WIRE.fixed64);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  text(number: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#open(number, length);
    this.#at += this.#bytes.write(value, this.#at, length);
  }

  bytes(number: number, value: Uint8Array): void {
    this.#open(number, value.byteLength);
    this.#bytes.set(value, this.#at);
    this.#at += value.byteLength;
  }

  /** Writes a packed list of varints. */
  packed(number: number, values: ArrayLike<number> & Iterable<number>): void {
    if (values.length === 0) return;
    this.part(number, () => {
      for (const value of values) {
        this.#makeRoom(VARINT_BYTES_MAX);
        this.#varint(value);
      }
    });
  }

  /** Writes a length-delimited part with what `write` writes. */
  part(number: number, write: () => void): void {
    this.#makeRoom(2 * VARINT_BYTES_MAX);
    this.#tag(number, WIRE.bytes);
    const from = this.#at + 1;
    this.#at = from;
    write();
    const length = this.#at - from;
    const more = varintBytes(length) - 1;
    // Most parts are short, with a length of one byte; longer ones are shifted to fit the rest of their length.
    if (more > 0) {
      this.#makeRoom(more);
      this.#bytes.copyWithin(from + more, from, this.#at);
    }
    this.#at = from - 1;
    this.#varint(length);
    this.#at += length;
  }

  #open(number: number, length: number): void {
    this.#makeRoom(2 * VARINT_BYTES_MAX + length);
    this.#tag(number, WIRE.bytes);
    this.#varint(length);
  }

  #tag(number: number, type: number): void {
    this.#varint((number << TAG_TYPE_BITS) | type);
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= TWO_TO_32) {
      this.#bytes[this.#at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    rest >>>= 0;
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  /** @throws response-too-big when the content exceeds the bound */
  #makeRoom(count: number): void {
    if (this.#at > this.#bytesMax) throw fault('response-too-big');
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) count++;
  return count;
}
