// The messages between the main thread and the thread of a model, and how errors are encoded.
import type { ErrorCodec } from '../../platform/worker-channel/errors.ts';
import { ProviderError, TooLong } from '../provider-errors.ts';

export interface ModelMethods {
  /** Called once, first. Returns the attributes of the model. */
  readonly start: { readonly request: null; readonly response: unknown };
  /** Requests are processed one after the other. */
  readonly answer: { readonly request: unknown; readonly response: unknown };
}

type PlainModelError =
  | {
      readonly kind: 'too-long';
      readonly position: number;
      readonly tokens: number;
      readonly tokensMax: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };

export const MODEL_CODEC: ErrorCodec<PlainModelError> = {
  encode: (error) => {
    if (!(error instanceof TooLong))
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    const { position, tokens, tokensMax } = error;
    return { kind: 'too-long', position, tokens, tokensMax };
  },
  decode: (plain) =>
    plain.kind === 'too-long'
      ? new TooLong(plain.position, plain)
      : new ProviderError('broken', plain.reason),
};
