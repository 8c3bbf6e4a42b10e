// Checksums of the pages of an LMDB file as of one commit. A page that no later commit wrote must still have its sum;
// one that a later commit wrote has a higher transaction number, and no sum yet.
import { crc32 } from 'node:zlib';

const MAGIC = 0x504e_5953;
const VERSION = 1;
const HEADER_BYTES = 40;
const ENTRY_BYTES = 8;
const WORD = 2 ** 32;

export class PageSums {
  /** The commit that the sums describe. */
  readonly txnId: number;
  /** Pages that have an entry, from 0 on. */
  readonly pages: number;
  /** Two words for each page: low word of its transaction number, checksum. Zeros for a page that is not in use. */
  readonly #words: Uint32Array;

  constructor(txnId: number, pages: number, words = new Uint32Array(2 * pages)) {
    this.txnId = txnId;
    this.pages = pages;
    this.#words = words;
  }

  /** A copy for a later commit, with more pages. */
  extended(txnId: number, pages: number): PageSums {
    const words = new Uint32Array(2 * pages);
    words.set(this.#words.subarray(0, Math.min(words.length, this.#words.length)));
    return new PageSums(txnId, pages, words);
  }

  /** True when the sums describe this version of the page. */
  covers(number: number, txnId: number): boolean {
    const low = txnId % WORD;
    return number < this.pages && low !== 0 && this.#words[2 * number] === low;
  }

  /** True when the page has the checksum of its version. Only for pages that are covered. */
  matches(number: number, sum: number): boolean {
    return this.#words[2 * number + 1] === sum;
  }

  /** True when the page was in use; sums that were extended also have pages that were freed since. */
  isInUse(number: number): boolean {
    return number < this.pages && this.#words[2 * number] !== 0;
  }

  set(number: number, txnId: number, sum: number): void {
    this.#words[2 * number] = txnId % WORD;
    this.#words[2 * number + 1] = sum;
  }

  /** The content of a file: header, entries, and a checksum of each. @param owner whose pages these are */
  encode(owner: string): Buffer {
    const entries = Buffer.from(this.#words.buffer, this.#words.byteOffset, this.#words.byteLength);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(MAGIC, 0);
    header.writeUInt32LE(VERSION, 4);
    header.writeDoubleLE(this.txnId, 8);
    header.writeDoubleLE(this.pages, 16);
    header.writeUInt32LE(crc32(entries), 24);
    header.writeUInt32LE(crc32(owner), 28);
    header.writeUInt32LE(crc32(header.subarray(0, 32)), 32);
    return Buffer.concat([header, entries]);
  }

  /** @returns null when these are not the bytes of `encode` for this owner */
  static decode(bytes: Buffer, owner: string): PageSums | null {
    if (bytes.length < HEADER_BYTES) return null;
    const isHeader =
      bytes.readUInt32LE(0) === MAGIC &&
      bytes.readUInt32LE(4) === VERSION &&
      bytes.readUInt32LE(28) === crc32(owner) &&
      bytes.readUInt32LE(32) === crc32(bytes.subarray(0, 32));
    if (!isHeader) return null;
    const pages = bytes.readDoubleLE(16);
    const entries = bytes.subarray(HEADER_BYTES);
    if (entries.length !== pages * ENTRY_BYTES || crc32(entries) !== bytes.readUInt32LE(24)) return null;
    const words = new Uint32Array(2 * pages);
    new Uint8Array(words.buffer).set(entries);
    return new PageSums(bytes.readDoubleLE(8), pages, words);
  }
}
