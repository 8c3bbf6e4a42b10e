// Reads the primitives of protobuf messages from untrusted bytes.
import { Buffer } from 'node:buffer';

/** The wire types of protobuf. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

const VARINT_BYTES_MAX = 10;
/** Nesting of groups, which only unknown fields can be. */
const GROUP_DEPTH_MAX = 64;
/** Texts up to this length are read byte by byte: calling a decoder costs more. */
const SHORT_TEXT_BYTES_MAX = 64;
const TAG_TYPE_BITS = 3;
const TWO_TO_32 = 2 ** 32;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A malformed message; the text is the reason, worded to follow a colon. */
export class MalformedMessage extends Error {}

export class MessageReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at = 0;
  #end: number;
  /** Halves of the latest varint. */
  #low = 0;
  #high = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.#view = new DataView(buffer, byteOffset, byteLength);
    this.#end = byteLength;
  }

  /** False at the end of the message, or of the part entered last. */
  get hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** The tag of the next field: its shifted number and wire type. */
  tag(): number {
    const tag = this.uint32();
    if (this.#high !== 0 || tag >>> TAG_TYPE_BITS === 0) throw new MalformedMessage('a field has no number');
    return tag;
  }

  /** The low half of any varint, as protobuf requires. */
  uint32(): number {
    this.#varint();
    return this.#low;
  }

  int32(): number {
    return this.uint32() | 0;
  }

  /** Exact up to 2^53. */
  uint64(): number {
    this.#varint();
    return this.#high * TWO_TO_32 + this.#low;
  }

  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  float(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** @throws MalformedMessage unless it is UTF-8 */
  text(): string {
    const length = this.#length();
    const from = this.#take(length);
    if (length <= SHORT_TEXT_BYTES_MAX && this.#isAscii(from)) {
      return this.#bytes.toString('latin1', from, this.#at);
    }
    try {
      return utf8.decode(this.#bytes.subarray(from, this.#at));
    } catch {
      throw new MalformedMessage('a text is not valid UTF-8');
    }
  }

  /** The bytes of a length-delimited part: a view of the message. */
  bytes(): Uint8Array {
    const length = this.#length();
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** Enters a part, whose end `hasMore` then reports. Leave it with the returned value. */
  enter(): number {
    const outer = this.#end;
    const length = this.#length();
    this.#end = this.#at + length;
    return outer;
  }

  leave(outer: number): void {
    this.#end = outer;
  }

  /** Skips the value of a field that is unknown, or unknown in this form. */
  skip(tag: number, levelsLeft = GROUP_DEPTH_MAX): void {
    const type = tag & 7;
    if (type === WIRE.varint) this.#varint();
    else if (type === WIRE.fixed64) this.#take(8);
    else if (type === WIRE.bytes) this.#take(this.#length());
    else if (type === WIRE.fixed32) this.#take(4);
    else if (type === WIRE.groupStart) this.#skipGroup(tag, levelsLeft);
    else throw new MalformedMessage('a field is of no known type');
  }

  #skipGroup(start: number, levelsLeft: number): void {
    if (levelsLeft === 0) throw new MalformedMessage('groups are nested too deep');
    const end = (start & ~7) | WIRE.groupEnd;
    for (let tag = this.tag(); tag !== end >>> 0; tag = this.tag()) this.skip(tag, levelsLeft - 1);
  }

  #length(): number {
    const length = this.uint32();
    if (this.#high !== 0 || length > this.#end - this.#at) throw new MalformedMessage('it is cut off');
    return length;
  }

  /** Consumes the next bytes and returns their offset. */
  #take(count: number): number {
    const from = this.#at;
    if (count > this.#end - from) throw new MalformedMessage('it is cut off');
    this.#at = from + count;
    return from;
  }

  #isAscii(from: number): boolean {
    for (let at = from; at < this.#at; at++) if ((this.#bytes[at] ?? 0) >= 0x80) return false;
    return true;
  }

  #varint(): void {
    let low = 0;
    let high = 0;
    for (let count = 0; count < VARINT_BYTES_MAX; count++) {
      const byte = this.#bytes[this.#take(1)] ?? 0;
      const bits = byte & 0x7f;
      const shift = count * 7;
      if (shift < 32) low |= bits << shift;
      // The fifth byte has bits of both halves.
      if (shift === 28) high = bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw new MalformedMessage('a number has more than 10 bytes');
  }
}
