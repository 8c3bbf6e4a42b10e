// Turns tokens of the cl100k encoding back into text; the encoding is loaded at its first use.

let loading: Promise<(tokens: readonly number[]) => string> | undefined;

/** Unknown tokens are left out. The first call takes about 200 ms and 20 MB. */
export async function textsOfTokens(lists: readonly (readonly number[])[]): Promise<readonly string[]> {
  loading ??= import('./encodings/cl100k-base.ts').then(
    ({ decode }) =>
      (tokens) =>
        decode(tokens.filter((token) => token < TOKENS)),
  );
  const decode = await loading;
  return lists.map((tokens) => decode(tokens).toWellFormed());
}

/** Ordinary tokens of the encoding; those above are special or do not exist. */
const TOKENS = 100_256;
