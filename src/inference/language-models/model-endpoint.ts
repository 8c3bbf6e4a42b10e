// An OpenAI-compatible language model endpoint, with bounds on concurrent answers and on the time of each.

import { Fault, fault, invalid } from '../../domain/faults.ts';
import type {
  AnswerUsage,
  FinishReason,
  LanguageModel,
  ListedModel,
  ModelPiece,
  ModelRequest,
  ToolCallDelta,
} from '../../domain/inference/language-model.ts';
import type { JsonObject } from '../../domain/json.ts';
import { overloaded } from '../../domain/overload.ts';
import { ProviderError } from '../provider-errors.ts';
import { openAnswer, readJsonAnswer } from '../providers/http/post-json.ts';
import { CircuitBreaker } from '../runner/circuit-breaker.ts';
import { withRetries } from '../runner/with-retries.ts';
import { WorkQueue } from '../runner/work-queue.ts';
import { AnswerWatch } from './answer-watch.ts';
import { ProviderListing } from './provider-listing.ts';
import { type Delta, readDelta } from './read-delta.ts';
import { readEvents } from './read-events.ts';
import { requestBody } from './request-body.ts';

const DONE = '[DONE]';
const STREAM_TYPE = 'text/event-stream';
const BUSY_SECONDS = 1;
/** A person is waiting, so longer recovery times are reported at once. */
const RETRY_MS_MAX = 5_000;
const ANSWER_CHARACTERS_MAX = 200_000;
const LAST_HIGH_SURROGATE = /[\ud800-\udbff]$/;

export interface EndpointOptions {
  /** The address without `/chat/completions`. No other address is ever called. */
  readonly baseUrl: string;
  /** Null if none is needed. */
  readonly apiKey: string | null;
  /** Number of concurrent answers. */
  readonly parallelMax: number;
  /** Number of questions that may wait; further ones are refused. */
  readonly waitingMax: number;
  /** Time between two pieces of an answer, and before the first. */
  readonly silenceMsMax: number;
  /** Time for an answer, from the question on. */
  readonly answerMsMax: number;
  readonly answerCharactersMax?: number;
  /** Receives what callers do not see: which model failed, and how. */
  readonly onProviderError?: (model: string, providerError: ProviderError) => void;
}

export class ModelEndpoint implements LanguageModel {
  readonly #options: EndpointOptions;
  readonly #queue: WorkQueue;
  /** One for each model: an unknown model name says nothing about the others. */
  readonly #breakers = new Map<string, CircuitBreaker>();
  /** Models that answer only where they are not asked to count tokens. */
  readonly #uncounted = new Set<string>();
  readonly #listing: ProviderListing;
  #questions = 0;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#listing = new ProviderListing(options);
    this.#queue = new WorkQueue(options.parallelMax);
  }

  models(): Promise<readonly ListedModel[]> {
    return this.#listing.models();
  }

  contextTokens(model: string): Promise<number | null> {
    return this.#listing.contextTokens(model);
  }

  /**
   * Streams the answer to a request. Leaving the loop early cancels the request.
   * @throws chat-unavailable, overloaded, invalid-argument when the endpoint refuses the request; the signal's reason
   */
  async *ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPiece> {
    signal.throwIfAborted();
    const { parallelMax, waitingMax } = this.#options;
    if (this.#questions >= parallelMax + waitingMax) throw overloaded(BUSY_SECONDS);
    this.#questions++;
    const watch = new AnswerWatch({ ...this.#options, signal });
    try {
      const release = await turnIn(this.#queue, watch.signal);
      try {
        yield* this.#pieces(request, watch);
      } finally {
        release();
      }
    } catch (error) {
      // After a cancellation, any error is a consequence of it.
      throw this.#faultOf(watch.signal.aborted ? watch.signal.reason : error, request.model);
    } finally {
      this.#questions--;
      watch.end();
    }
  }

  async *#pieces(request: ModelRequest, watch: AnswerWatch): AsyncGenerator<ModelPiece> {
    const { answerCharactersMax = ANSWER_CHARACTERS_MAX } = this.#options;
    let finishReason: FinishReason | null = null;
    let usage: AnswerUsage | null = null;
    let space = answerCharactersMax;
    let half = '';
    let isRefusal = false;
    let hasChoice = false;
    for await (const delta of this.#deltas(request, watch)) {
      hasChoice ||= delta.hasChoice;
      finishReason = delta.finishReason ?? finishReason;
      usage = delta.usage ?? usage;
      if (delta.toolCalls.length > 0) {
        space -= charactersIn(delta.toolCalls);
        if (space < 0) throw new ProviderError('broken', 'its answer has no end');
        yield { type: 'tool-calls', calls: delta.toolCalls };
      }
      isRefusal ||= delta.refusal !== '';
      const whole = half + delta.text + delta.refusal;
      half = LAST_HIGH_SURROGATE.exec(whole)?.[0] ?? '';
      const text = whole.slice(0, whole.length - half.length).slice(0, space);
      if (text !== '') yield { type: isRefusal ? 'refusal' : 'text', text: text.toWellFormed() };
      space -= text.length;
      if (whole.length - half.length > text.length) {
        yield { type: 'end', finishReason: 'length', usage };
        return;
      }
    }
    // Gateways answer errors with status 200, too.
    if (!hasChoice) throw new ProviderError('broken', 'its answer has no choice');
    yield { type: 'end', finishReason: isRefusal ? 'content_filter' : (finishReason ?? 'stop'), usage };
  }

  /** Yields the parts of an answer; the answer is complete when it returns. */
  async *#deltas(request: ModelRequest, watch: AnswerWatch): AsyncGenerator<Delta> {
    const response = await this.#open(request, watch);
    const type = response.headers.get('content-type') ?? STREAM_TYPE;
    watch.listen();
    // Some endpoints do not stream and send the whole answer at once.
    if (/^application\/json\b/i.test(type)) {
      const answer = readDelta(await readJsonAnswer(response, watch.signal));
      watch.rest();
      yield answer;
      return;
    }
    if (!type.toLowerCase().startsWith(STREAM_TYPE)) {
      throw new ProviderError('broken', 'its answer is no stream of events');
    }
    let isEnded = false;
    for await (const data of readEvents(heard(response.body ?? [], watch))) {
      if (data === DONE) return;
      const delta = readDelta(parsed(data));
      isEnded ||= delta.finishReason !== null;
      yield delta;
    }
    if (!isEnded) throw new ProviderError('down', 'its answer was cut off');
  }

  /** Providers that do not count tokens in streams may refuse to, in words that need not name it. */
  async #open(request: ModelRequest, watch: AnswerWatch): Promise<Response> {
    const { model } = request;
    if (this.#uncounted.has(model)) return await this.#send(model, requestBody(request, false), watch);
    try {
      return await this.#send(model, requestBody(request, true), watch);
    } catch (error) {
      if (!isRefusedForm(error)) throw error;
      const response = await this.#send(model, requestBody(request, false), watch);
      this.#uncounted.add(model);
      return response;
    }
  }

  #send(model: string, body: JsonObject, watch: AnswerWatch): Promise<Response> {
    const { baseUrl, apiKey } = this.#options;
    const { signal } = watch;
    const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
    const accept = `${STREAM_TYPE}, application/json`;
    const ask = async () => {
      watch.listen();
      try {
        return await openAnswer({ url, key: apiKey, body, signal, accept, givesReason: 'always' });
      } finally {
        watch.rest();
      }
    };
    const breaker = this.#breakers.getOrInsertComputed(model, () => new CircuitBreaker());
    return withRetries(() => breaker.run(ask), {
      signal,
      deadlineMs: performance.now() + RETRY_MS_MAX,
    });
  }

  /** Of what a provider sent, only the reason of a refusal is shown, without secrets. */
  #faultOf(error: unknown, model: string): unknown {
    if (!(error instanceof ProviderError)) return error;
    this.#options.onProviderError?.(model, error);
    const { kind, message: reason, retryAfterSeconds } = error;
    if (kind === 'busy') return overloaded(retryAfterSeconds ?? BUSY_SECONDS, error);
    if (kind === 'refused') return invalid(`Model '${model}' refused the request: ${reason}.`);
    const { message } = fault('chat-unavailable', { model, reason });
    return new Fault('chat-unavailable', message, { retryAfterSeconds });
  }
}

/** Whether the provider may know another form of the request. */
function isRefusedForm(error: unknown): boolean {
  return error instanceof ProviderError && (error.status === 400 || error.status === 422);
}

/** Calls are kept part by part, so that an empty one counts, too. */
function charactersIn(calls: readonly ToolCallDelta[]): number {
  return calls.reduce(
    (sum, { id = '', name = '', arguments: text }) => sum + 1 + `${id}${name}${text}`.length,
    0,
  );
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new ProviderError('broken', 'its answer is no stream of events');
  }
}

/** Passes bytes on; the time that a reader takes does not count as silence of the model. */
async function* heard(bytes: AsyncIterable<Uint8Array> | [], watch: AnswerWatch): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of bytes) {
      watch.rest();
      yield piece;
      watch.listen();
    }
    watch.rest();
  } catch {
    watch.signal.throwIfAborted();
    throw new ProviderError('down', 'its answer was cut off');
  }
}

/** Waits for a slot and resolves to the function that frees it. @throws the signal's reason when it aborts before */
async function turnIn(queue: WorkQueue, signal: AbortSignal): Promise<() => void> {
  const done = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  queue
    .run(
      'interactive',
      () => {
        begun.resolve();
        return done.promise;
      },
      signal,
    )
    .catch(begun.reject);
  await begun.promise;
  return done.resolve;
}
