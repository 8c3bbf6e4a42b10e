// Server-sent events as clients read them that take a stream apart line by line.

/** Headers of every stream; proxies must not gather what is sent piece by piece. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;
/** Line ends to readers that know Unicode, though not to JSON; control characters are escaped by it already. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;
const PIECE_CHARACTERS = 48;

/** One event on one line, whatever its texts hold. */
export function eventLine(event: object): string {
  const json = JSON.stringify(event).replace(
    LINE_ENDS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `data: ${json}\n\n`;
}

/** Pieces that joined are the text, cut behind blanks where there are any and never inside of a character. */
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
