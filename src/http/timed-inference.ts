// Measures how long a request waits for models, whichever of them it calls, and however many at once.
import type { EmbeddingSource } from '../domain/embedding/embedding-source.ts';
import type { Model } from '../domain/inference/model.ts';
import type {
  CallOptions,
  EmbedRequest,
  EmbedResult,
  Inference,
  InferRequest,
  NliProbabilities,
  RerankRequest,
  RerankResult,
} from '../domain/inference/port.ts';

/** Passes all calls on. One for each request. */
export class TimedInference implements Inference {
  readonly #inference: Inference;
  readonly #now: () => number;
  #running = 0;
  #runningSince = 0;
  #endedMs = 0;

  /** @param now in milliseconds */
  constructor(inference: Inference, now: () => number = () => performance.now()) {
    this.#inference = inference;
    this.#now = now;
  }

  /** How long at least one call ran so far, in milliseconds. */
  get busyMs(): number {
    return this.#endedMs + (this.#running > 0 ? this.#now() - this.#runningSince : 0);
  }

  models(): readonly Model[] {
    return this.#inference.models();
  }

  model(name: string): Model | undefined {
    return this.#inference.model(name);
  }

  embeddingSource(model: string): EmbeddingSource | undefined {
    return this.#inference.embeddingSource(model);
  }

  isBuiltIn(model: string): boolean {
    return this.#inference.isBuiltIn(model);
  }

  tellsEntailment(model: string): boolean {
    return this.#inference.tellsEntailment(model);
  }

  embed(request: EmbedRequest, options?: CallOptions): Promise<EmbedResult> {
    return this.#timed(() => this.#inference.embed(request, options));
  }

  rerank(request: RerankRequest, options?: CallOptions): Promise<RerankResult> {
    return this.#timed(() => this.#inference.rerank(request, options));
  }

  infer(request: InferRequest, options?: CallOptions): Promise<readonly NliProbabilities[]> {
    return this.#timed(() => this.#inference.infer(request, options));
  }

  notices(): readonly string[] {
    return this.#inference.notices();
  }

  close(): Promise<void> {
    return this.#inference.close();
  }

  async #timed<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#running === 0) this.#runningSince = this.#now();
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#endedMs += this.#now() - this.#runningSince;
    }
  }
}
