// Splits a stream of bytes into lines, with one window of it in memory.
const NEWLINE = 0x0a;

/** What the line is that was skipped, as in 'The line is not valid UTF-8'. */
type LineProblem = `longer than ${number} bytes` | 'not valid UTF-8';

type LineText =
  | { readonly text: string }
  /** Null for a line that was skipped: the next one begins after its newline, a byte that is in no other character. */
  | { readonly text: null; readonly problem: LineProblem };

/** `end` is the offset of the next line. */
export type Line = LineText & { readonly end: number };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Yields the lines of windows that begin at offset `start`, the start of a line. */
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
      yield { ...textOf(bytes, bytesMax), end: at + end + 1 };
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
    yield { ...textOf(isTooLong ? null : held, bytesMax), end: at };
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return first.byteLength === 0 ? second : Buffer.concat([first, second]);
}

/** @param bytes null for a line that is too long to be held */
function textOf(bytes: Uint8Array | null, bytesMax: number): LineText {
  if (bytes === null || bytes.byteLength > bytesMax)
    return { text: null, problem: `longer than ${bytesMax} bytes` };
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { text: null, problem: 'not valid UTF-8' };
  }
}
