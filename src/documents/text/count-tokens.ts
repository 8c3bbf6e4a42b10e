// Counts tokens of the o200k encoding; the encoder is loaded at its first use.

export type CountTokens = (text: string) => number;

/** Counting one word takes time quadratic in its length, so longer runs are counted in pieces. */
const RUN_CHARACTERS_MAX = 256;
const LONG_RUN = new RegExp(`\\S{${RUN_CHARACTERS_MAX}}|\\s{${RUN_CHARACTERS_MAX}}`);
/** Treats text that looks like control tokens as plain text. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

let loading: Promise<CountTokens> | undefined;

/** Loads the counter; the first call in a thread takes about 200 ms and 30 MB. */
export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= import('./encodings/o200k-base.ts').then(
    ({ countTokens }) =>
      (text) =>
        countPieces(text, (piece) => countTokens(piece, NOTHING_SPECIAL)),
  );
  return loading;
}

function countPieces(text: string, count: CountTokens): number {
  let tokens = 0;
  let rest = text;
  for (let run = LONG_RUN.exec(rest); run !== null; run = LONG_RUN.exec(rest)) {
    const end = run.index + RUN_CHARACTERS_MAX;
    tokens += count(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return tokens + count(rest);
}
