// Unsigned numbers below 2^32 in one to five bytes: seven bits each, low ones first, the top bit set on all but the last.

/** A growing buffer of varints, reused from one record to the next. */
export class VarintBuffer {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(1_024);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  push(number: number): void {
    if (this.length + 5 > this.bytes.length) this.#grow(5);
    let rest = number >>> 0;
    for (; rest >= 0x80; rest >>>= 7) this.bytes[this.length++] = (rest & 0x7f) | 0x80;
    this.bytes[this.length++] = rest;
  }

  pushByte(byte: number): void {
    if (this.length === this.bytes.length) this.#grow(1);
    this.bytes[this.length++] = byte;
  }

  #grow(bytes: number): void {
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + bytes));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** Reads varints one after the other. */
export class VarintCursor {
  at = 0;
  #bytes: Uint8Array = new Uint8Array();

  open(bytes: Uint8Array, at: number): void {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.at++] ?? 0;
    if (byte < 0x80) return byte;
    let number = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.at++] ?? 0;
      number |= (byte & 0x7f) << shift;
    }
    return number >>> 0;
  }

  skip(count: number): void {
    for (let left = count; left > 0; this.at++) if ((this.#bytes[this.at] ?? 0) < 0x80) left--;
  }
}
