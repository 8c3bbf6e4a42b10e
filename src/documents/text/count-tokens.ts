// Counts tokens as the language models of the o200k family do; loaded when first asked for.

export type CountTokens = (text: string) => number;

/** The time for one word grows with the square of its length, so longer runs are counted in pieces. */
const RUN_CHARACTERS_MAX = 256;
const LONG_RUN = new RegExp(`\\S{${RUN_CHARACTERS_MAX}}|\\s{${RUN_CHARACTERS_MAX}}`);
/** Texts that look like control tokens are text like any other here. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

let loading: Promise<CountTokens> | undefined;

/** The counter; some 200 ms and 30 MB the first time in a thread. */
export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(
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
