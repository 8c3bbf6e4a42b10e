// Runs the batches of a request at a provider, with limits, a deadline, retries and a circuit breaker.
import { Fault, fault } from '../../domain/faults.ts';
import { overloaded } from '../../domain/overload.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import { DeadlinePassed, ProviderError } from '../provider-errors.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { withRetries } from './with-retries.ts';
import { type QueueName, WorkQueue } from './work-queue.ts';

/** Concurrent batches of one request; limited so that other requests of the model run, too. */
const PARALLEL_OF_REQUEST_MAX = 4;
const BUSY_SECONDS = 1;

export interface CallRunnerOptions {
  /** Name of the model, for error messages. */
  readonly model: string;
  /** Running and waiting requests. */
  readonly requestsMax: number;
  readonly parallelMax: number;
  readonly deadlineMs: number;
  readonly breaker: CircuitBreaker;
  readonly onProviderError: (providerError: ProviderError) => void;
}

export interface CallRequest<Result> {
  readonly queue: QueueName;
  readonly signal: AbortSignal | undefined;
  readonly batches: readonly ((signal: AbortSignal) => Promise<Result>)[];
}

export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #queue: WorkQueue;
  #requests = 0;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.parallelMax);
  }

  /**
   * Returns the results of all batches, in order.
   * @throws overloaded, model-unavailable, invalid-argument when the provider refuses the request, or the reason of
   *   the caller's signal
   */
  async run<Result>(request: CallRequest<Result>): Promise<readonly Result[]> {
    request.signal?.throwIfAborted();
    if (this.#requests >= this.#options.requestsMax) throw overloaded(BUSY_SECONDS);
    const { deadlineMs } = this.#options;
    const ending = new AbortController();
    const leave = () => ending.abort(request.signal?.reason);
    const timer = setTimeout(() => ending.abort(new DeadlinePassed(deadlineMs)), deadlineMs);
    request.signal?.addEventListener('abort', leave, { once: true });
    this.#requests++;
    try {
      return await this.#runBatches(request, ending.signal);
    } catch (error) {
      const reason: unknown = ending.signal.aborted ? ending.signal.reason : error;
      // One batch failed, so the others of the request are of no use.
      ending.abort();
      throw this.#faultOf(reason);
    } finally {
      this.#requests--;
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', leave);
    }
  }

  async #runBatches<Result>({ queue, batches }: CallRequest<Result>, signal: AbortSignal): Promise<Result[]> {
    const { breaker, deadlineMs } = this.#options;
    const results: Result[] = [];
    const endMs = performance.now() + deadlineMs;
    const next = batches.entries();
    const worker = async () => {
      for (const [position, batch] of next) {
        const ask = () => breaker.run(() => batch(signal), signal);
        const task = () => withRetries(ask, { signal, deadlineMs: endMs });
        results[position] = await this.#queue.run(queue, task, signal);
      }
    };
    const count = Math.min(PARALLEL_OF_REQUEST_MAX, batches.length);
    await untilAborted(Promise.all(Array.from({ length: count }, worker)), signal);
    return results;
  }

  #faultOf(error: unknown): unknown {
    if (!(error instanceof ProviderError)) return error;
    this.#options.onProviderError(error);
    const { model } = this.#options;
    const { retryAfterSeconds } = error;
    if (error.kind === 'busy') return overloaded(retryAfterSeconds ?? BUSY_SECONDS, error);
    if (error.kind === 'refused') {
      return fault('invalid-argument', { reason: `Model '${model}' refused the input: ${error.message}.` });
    }
    const { message } = fault('model-unavailable', { model, reason: error.message });
    return new Fault('model-unavailable', message, { retryAfterSeconds });
  }
}
