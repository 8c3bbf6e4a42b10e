// Splits a body of JSON lines as it arrives, so that it is never in memory twice.
import { Buffer } from 'node:buffer';
import { refuseTooBig } from './parse-body.ts';

export interface TextLine {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

const NEWLINE = 0x0a;
/** Space, tab and carriage return. */
const BLANKS = new Set([0x20, 0x09, 0x0d]);

/** Yields the lines that are not blank. @throws request-too-big as soon as the body exceeds its limit; what reading throws */
export async function* textLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine> {
  let parts: Uint8Array[] = [];
  let total = 0;
  let number = 1;
  for await (const chunk of body) {
    total += chunk.byteLength;
    refuseTooBig(total);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = joined([...parts, chunk.subarray(start, end)]);
      if (!isBlank(bytes)) yield { number, bytes };
      parts = [];
      number++;
      start = end + 1;
    }
    if (start < chunk.byteLength) parts.push(chunk.subarray(start));
  }
  const last = joined(parts);
  if (!isBlank(last)) yield { number, bytes: last };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(parts);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => BLANKS.has(byte));
}
