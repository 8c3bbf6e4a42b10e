// Splits a stream of bytes into lines, with one window of it in memory.
import { FileProblem } from '../file-bytes.ts';

const NEWLINE = 0x0a;

export interface Line {
  /** Null for a line over the bound, which was skipped. */
  readonly text: string | null;
  /** The offset of the next line. */
  readonly end: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Yields the lines of windows that begin at offset `start`, the start of a line.
 * @throws FileProblem if the bytes are not UTF-8
 */
export async function* readLines(
  windows: AsyncIterable<Uint8Array>,
  start: number,
  bytesMax: number,
): AsyncGenerator<Line> {
  let held: Uint8Array = new Uint8Array(0);
  let isTooLong = false;
  let at = start;
  for await (const window of windows) {
    let from = 0;
    for (let end = window.indexOf(NEWLINE); end >= 0; end = window.indexOf(NEWLINE, from)) {
      const bytes = isTooLong ? null : joined(held, window.subarray(from, end));
      yield { text: textOf(bytes, bytesMax), end: at + end + 1 };
      held = new Uint8Array(0);
      isTooLong = false;
      from = end + 1;
    }
    at += window.byteLength;
    held = isTooLong ? held : joined(held, window.subarray(from));
    if (held.byteLength > bytesMax) {
      isTooLong = true;
      held = new Uint8Array(0);
    }
  }
  if (isTooLong || held.byteLength > 0) {
    yield { text: isTooLong ? null : textOf(held, bytesMax), end: at };
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return first.byteLength === 0 ? second : Buffer.concat([first, second]);
}

function textOf(bytes: Uint8Array | null, bytesMax: number): string | null {
  if (bytes === null || bytes.byteLength > bytesMax) return null;
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new FileProblem('it is not valid UTF-8', error);
  }
}
