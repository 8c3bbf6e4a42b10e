// The lines of a body of JSON lines, each given out as soon as it is whole: what has been read is never held twice.
import { Buffer } from 'node:buffer';
import { refuseTooBig } from './parse-body.ts';

export interface TextLine {
  /** From 1, as people count them. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

const NEWLINE = 0x0a;
/** Space, tab and carriage return. */
const BLANKS = new Set([0x20, 0x09, 0x0d]);

/** Lines that are not blank, in their order. @throws request-too-big as soon as the body is, and what reading throws */
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
