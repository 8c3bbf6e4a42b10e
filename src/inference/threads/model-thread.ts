// A thread that runs a model: started at its first use, and again after it died.

import { isDeepStrictEqual } from 'node:util';
import type { NliProbabilities } from '../../domain/inference/port.ts';
import { ChannelEnded } from '../../platform/worker-channel/errors.ts';
import { WorkerThread } from '../../platform/worker-channel/worker-thread.ts';
import type { EmbedAnswer, RerankBatch } from '../ports.ts';
import { ProviderError } from '../provider-errors.ts';
import { MODEL_CODEC, type ModelMethods } from './model-methods.ts';

export interface ModelThreadOptions {
  /** A file that calls `serveThread`. */
  readonly entry: URL;
  /** Passed to it as `workerData`. */
  readonly data: unknown;
}

type ModelWorker<EmbedRequest> = WorkerThread<ModelMethods<EmbedRequest>>;

interface Running<EmbedRequest> {
  readonly worker: ModelWorker<EmbedRequest>;
  /** Resolves to the attributes that the thread reports at its start. */
  readonly started: Promise<unknown>;
}

export class ModelThread<EmbedRequest> {
  readonly #options: ModelThreadOptions;
  #running: Running<EmbedRequest> | undefined;
  #firstDescription: { readonly attributes: unknown } | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ModelThreadOptions) {
    this.#options = options;
  }

  /** Starts the thread unless it runs. @throws ProviderError with the reason when it cannot start */
  start(): Promise<unknown> {
    return this.#thread().started;
  }

  /** @throws TooLong; ProviderError when the thread cannot start, dies or fails */
  embed(request: EmbedRequest): Promise<EmbedAnswer> {
    return this.#call(({ channel }) => channel.call('embed', request));
  }

  /** @throws as `embed` */
  score(batch: RerankBatch): Promise<readonly number[]> {
    return this.#call(({ channel }) => channel.call('score', batch));
  }

  /** @throws as `embed`; ProviderError for a model of another kind */
  infer(batch: RerankBatch): Promise<readonly NliProbabilities[]> {
    return this.#call(({ channel }) => channel.call('infer', batch));
  }

  async close(): Promise<void> {
    this.#closing ??= this.#running?.worker.terminate() ?? Promise.resolve();
    await this.#closing;
  }

  async #call<Answer>(send: (worker: ModelWorker<EmbedRequest>) => Promise<Answer>): Promise<Answer> {
    const { worker, started } = this.#thread();
    await started;
    try {
      return await send(worker);
    } catch (error) {
      throw error instanceof ChannelEnded ? providerErrorOf(error) : error;
    }
  }

  #thread(): Running<EmbedRequest> {
    if (this.#closing !== undefined) throw new ProviderError('broken', 'the server is stopping');
    this.#running ??= this.#begin();
    return this.#running;
  }

  #begin(): Running<EmbedRequest> {
    const worker = new WorkerThread<ModelMethods<EmbedRequest>>(this.#options.entry, {
      name: 'its thread',
      codec: MODEL_CODEC,
      // A busy thread keeps the process alive; an idle one does not.
      isServant: true,
      worker: { workerData: this.#options.data },
      onEnd: () => this.#forget(running),
    });
    const running: Running<EmbedRequest> = { worker, started: this.#started(worker) };
    // Those who wait for the start receive its error, but there may be none.
    running.started.catch(() => {
      this.#forget(running);
      void worker.terminate();
    });
    return running;
  }

  async #started({ channel }: ModelWorker<EmbedRequest>): Promise<unknown> {
    try {
      const attributes = await channel.call('start', null);
      this.#assertAsBefore(attributes);
      return attributes;
    } catch (error) {
      throw providerErrorOf(error);
    }
  }

  /** Throws if a restarted thread serves a different model, whose vectors would mix with the existing ones. */
  #assertAsBefore(attributes: unknown): void {
    this.#firstDescription ??= { attributes };
    if (!isDeepStrictEqual(attributes, this.#firstDescription.attributes))
      throw new Error('its files have changed since the server was started');
  }

  /** The next call starts another thread. */
  #forget(running: Running<EmbedRequest>): void {
    if (this.#running === running) this.#running = undefined;
  }
}

/** The error for a thread that has ended or could not start; a new thread may succeed. */
function providerErrorOf(error: unknown): ProviderError {
  if (!(error instanceof ChannelEnded))
    return new ProviderError('down', error instanceof Error ? error.message : String(error));
  const { cause } = error;
  return new ProviderError(
    'down',
    cause instanceof Error ? `its thread failed: ${cause.message}` : 'its thread ended',
  );
}
