// The messages between the main thread and the thread of a model, and how errors are encoded.

import type { NliProbabilities } from '../../domain/inference/port.ts';
import type { ErrorCodec } from '../../platform/worker-channel/errors.ts';
import type { EmbedAnswer, RerankBatch } from '../ports.ts';
import { ProviderError, TooLong } from '../provider-errors.ts';

/** `EmbedRequest`: a batch of texts, and which encoder is to be used in a thread that has several. */
export interface ModelMethods<EmbedRequest> {
  /** Called once, first. Returns the attributes of the model. */
  readonly start: { readonly request: null; readonly response: unknown };
  /** Requests of all methods are processed one after the other. */
  readonly embed: { readonly request: EmbedRequest; readonly response: EmbedAnswer };
  readonly score: { readonly request: RerankBatch; readonly response: readonly number[] };
  readonly infer: { readonly request: RerankBatch; readonly response: readonly NliProbabilities[] };
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
