// What can go wrong at a provider, sorted by what to do about it.

/**
 * - `down`: no connection, no answer, or a gateway's error. Worth another try.
 * - `busy`: asked to come back later. Worth another try, then.
 * - `refused`: this request was not to its taste. The caller's to change.
 * - `broken`: it will not answer until somebody mends it: a bad key, an unknown path, nonsense for an answer.
 */
export type ProviderErrorKind = 'down' | 'busy' | 'refused' | 'broken';

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  /** When the provider asked to be tried again, in milliseconds from its answer. */
  readonly retryAfterMs: number | undefined;

  /** @param reason for callers, without inputs, keys and addresses */
  constructor(kind: ProviderErrorKind, reason: string, retryAfterMs?: number) {
    super(reason);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A text (or pair) is over the limit and must not be cut. */
export class TooLong extends Error {
  /** Position in the batch. */
  readonly position: number;
  readonly tokens: number;
  readonly tokensMax: number;

  constructor(
    position: number,
    { tokens, tokensMax }: { readonly tokens: number; readonly tokensMax: number },
  ) {
    super(`text ${position} has ${tokens} tokens of at most ${tokensMax}`);
    this.position = position;
    this.tokens = tokens;
    this.tokensMax = tokensMax;
  }
}
