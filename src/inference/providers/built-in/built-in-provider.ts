// The built-in models as providers: small requests run on the main thread, large ones on a worker thread.
import { BUILT_IN, type EmbeddingSource } from '../../../domain/embedding/embedding-source.ts';
import { REVISION } from '../../builtin/encoders.ts';
import type { BatchBounds, Embedder, Reranker } from '../../ports.ts';
import { ModelThread } from '../../threads/model-thread.ts';
import {
  type BuiltInEmbedRequest,
  type BuiltInEncoder,
  embedBuiltIn,
  scoreBuiltIn,
} from './answer-built-in.ts';

/** Texts of this total length take less than a millisecond, which is less than a round trip to a thread. */
const INLINE_CHARS_MAX = 2_000;

const BOUNDS: BatchBounds = { countMax: 96, charsMax: 1_000_000, parallelMax: 64 };

export class BuiltInProvider {
  readonly #thread = new ModelThread<BuiltInEmbedRequest>({
    entry: new URL('./thread.ts', import.meta.url),
    data: null,
  });

  embedder(encoder: BuiltInEncoder): Embedder {
    return {
      location: BUILT_IN,
      source: sourceOf(encoder),
      bounds: BOUNDS,
      isCached: false,
      embed: async (batch) => {
        if (charsOf(batch.texts) <= INLINE_CHARS_MAX) return embedBuiltIn(encoder, batch);
        return this.#thread.embed({ encoder, batch });
      },
      close: () => this.#thread.close(),
    };
  }

  reranker(): Reranker {
    return {
      location: BUILT_IN,
      source: sourceOf('rerank'),
      bounds: { ...BOUNDS, countMax: 250 },
      isCached: false,
      score: async (batch) => {
        if (charsOf(batch.documents) + batch.query.length <= INLINE_CHARS_MAX) return scoreBuiltIn(batch);
        return this.#thread.score(batch);
      },
      close: () => this.#thread.close(),
    };
  }
}

/** The encoders share tables and rules, and so a revision. The vectors of two encoders are never in one index. */
function sourceOf(encoder: BuiltInEncoder | 'rerank'): EmbeddingSource {
  return { provider: BUILT_IN, revision: `${encoder}-${REVISION}` };
}

function charsOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
