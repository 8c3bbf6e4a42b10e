// The tokenization rule. It is frozen: a change makes stored vectors unfindable, and so needs a new REVISION.

const ASCII_ONLY = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9_]+/g;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Normalizing long runs of combining marks, or segmenting long runs of letters, is quadratic, so texts are split. */
const PIECE_LENGTH_MAX = 512;

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * Returns the words of a text in order: NFKC, lower case, runs of letters, marks, digits and `_`. Runs in scripts
 * without spaces are segmented by dictionary. Unpaired surrogates separate words. Takes linear time.
 */
export function wordsOf(text: string): readonly string[] {
  if (ASCII_ONLY.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const runs = normalized(text).match(WORD) ?? [];
  return runs.some(isWithoutSpaces) ? runs.flatMap(segmented) : runs;
}

/** True for a word in a script without spaces, whose parts matter more than the whole. */
export function isWithoutSpaces(word: string): boolean {
  return WITHOUT_SPACES.test(word);
}

function normalized(text: string): string {
  let whole = '';
  for (const piece of pieces(text.toWellFormed())) whole += piece.normalize('NFKC');
  return whole.toLowerCase();
}

function segmented(run: string): readonly string[] {
  if (!isWithoutSpaces(run)) return [run];
  const words: string[] = [];
  for (const piece of pieces(run))
    for (const { segment, isWordLike } of segmenter.segment(piece)) if (isWordLike) words.push(segment);
  return words;
}

/** Yields pieces of bounded length, cut before an ASCII character if possible, since nothing combines across it. */
function* pieces(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > PIECE_LENGTH_MAX) {
    const until = cutBefore(text, from);
    yield text.slice(from, until);
    from = until;
  }
  yield text.slice(from);
}

function cutBefore(text: string, from: number): number {
  const limit = from + PIECE_LENGTH_MAX;
  for (let at = limit; at > from; at--) if (text.charCodeAt(at) < 128) return at;
  const splitsPair = (text.charCodeAt(limit) & 0xfc00) === 0xdc00;
  return splitsPair ? limit - 1 : limit;
}
