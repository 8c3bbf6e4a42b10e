// Server-sent events for clients that split a stream into lines.

/** Headers of every stream; proxies must not buffer it. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;
/** Line ends for Unicode-aware readers but not for JSON, which already escapes control characters. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;
const PIECE_CHARACTERS = 48;

/** Writes an event on one line, whatever its texts contain. */
export function eventLine(event: object): string {
  const json = JSON.stringify(event).replace(
    LINE_ENDS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `data: ${json}\n\n`;
}

/** Splits a text into pieces, after blanks where possible and never within a character. */
export function* piecesOf(text: string): Generator<string> {
  let piece = '';
  for (const character of text) {
    piece += character;
    const full = piece.length >= PIECE_CHARACTERS;
    if ((full && character === ' ') || piece.length >= 2 * PIECE_CHARACTERS) {
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
