// Errors of providers, classified by the reaction to them.

/**
 * - `down`: no connection, no response, or a gateway's error. Retried.
 * - `busy`: the provider asked for a later retry. Retried then.
 * - `refused`: the provider rejected this request, which the caller must change.
 * - `broken`: it needs an operator: a bad key, an unknown path, an invalid response.
 */
export type ProviderErrorKind = 'down' | 'busy' | 'refused' | 'broken';

const SECOND_MS = 1_000;

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  /** When the provider may be retried, in milliseconds from its response. */
  readonly retryAfterMs: number | undefined;
  /** Of its response; undefined without one. */
  readonly status: number | undefined;

  /** @param reason for callers, without inputs, keys and addresses */
  constructor(kind: ProviderErrorKind, reason: string, retryAfterMs?: number, status?: number) {
    super(reason);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }

  /** When callers may retry, in whole seconds, at least 1; undefined where the provider did not tell. */
  get retryAfterSeconds(): number | undefined {
    return this.retryAfterMs === undefined
      ? undefined
      : Math.max(1, Math.ceil(this.retryAfterMs / SECOND_MS));
  }
}

/**
 * The deadline of a request has passed. Its calls may have begun just before, behind others of this server: they are
 * failures of a provider only that gave no answer at all for most of the time.
 */
export class DeadlinePassed extends ProviderError {
  readonly deadlineMs: number;

  constructor(deadlineMs: number) {
    super('down', `no answer within ${deadlineMs / SECOND_MS} s`);
    this.deadlineMs = deadlineMs;
  }
}

/** Thrown when a text or pair exceeds the limit and must not be truncated, or when its provider refuses it even truncated. */
export class TooLong extends Error {
  /** Position in the batch. */
  readonly position: number;
  readonly tokens: number;
  readonly tokensMax: number;
  /** Why a provider refuses the text; undefined where its tokens tell. */
  readonly refusal: string | undefined;

  constructor(
    position: number,
    {
      tokens,
      tokensMax,
      refusal,
    }: { readonly tokens: number; readonly tokensMax: number; readonly refusal?: string | undefined },
  ) {
    super(`text ${position} has ${tokens} tokens; at most ${tokensMax} are allowed`);
    this.position = position;
    this.tokens = tokens;
    this.tokensMax = tokensMax;
    this.refusal = refusal;
  }
}
