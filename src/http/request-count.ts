// Counts a request to an index once, from its body having been read until its answer is ready: its status, its time, and
// which parts of that the engine and models took. One that is answered before its body was read has all of its time.
import type { FastifyRequest } from 'fastify';
import type { AnswerWork, DataAnswer } from '../api/data-request.ts';
import type { RequestMeter } from '../app/monitoring/request-meter.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { AppContext } from './app.ts';
import { faultOf } from './fault-of.ts';
import { type Span, workDone } from './request-work.ts';
import { TimedInference } from './timed-inference.ts';

/** Where requests are counted. */
export interface Counting {
  readonly context: Pick<AppContext, 'slowRequests'>;
  /** By default they are not. */
  readonly meter?: Pick<RequestMeter, 'add'> | undefined;
}

export class RequestCount {
  readonly #counting: Counting;
  readonly #request: FastifyRequest;
  readonly #endpointId: string;
  readonly #startedAt = performance.now();
  /** When the body had been read, on the clock of `performance.now()`; null before. */
  #readAt: number | null = null;
  /** What kept the body from being read. */
  #unread: unknown = null;
  #models: TimedInference | null = null;
  #engine: Span | null = null;
  #work: AnswerWork | undefined;

  constructor(counting: Counting, request: FastifyRequest, endpointId: string) {
    this.#counting = counting;
    this.#request = request;
    this.#endpointId = endpointId;
  }

  /** Begins the request's time. */
  bodyRead(): void {
    this.#readAt = performance.now();
  }

  /** Passes a body on; its end begins the request's time. @throws what reading it throws */
  async *body(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      this.#unread = error;
      throw error;
    }
    this.bodyRead();
  }

  /** Runs the engine's part. @throws what it throws */
  async engine(run: () => Promise<DataAnswer>): Promise<DataAnswer> {
    const from = performance.now();
    try {
      const answer = await run();
      this.#work = answer.work;
      return answer;
    } finally {
      this.#engine = { from, to: performance.now() };
    }
  }

  /** The models for the request, whose time counts as the part of models. */
  models(inference: Inference): Inference {
    this.#models = new TimedInference(inference);
    return this.#models;
  }

  /**
   * Does the whole work of the request and counts how it ends. One whose body could not be read is not counted.
   * @throws what the work throws
   */
  async of(work: () => Promise<DataAnswer>): Promise<DataAnswer> {
    try {
      const answer = await work();
      this.#count(answer.status);
      return answer;
    } catch (error) {
      if (error !== this.#unread) this.#count(faultOf(error, this.#request).status);
      throw error;
    }
  }

  #count(status: number): void {
    const { context, meter } = this.#counting;
    const request = this.#request;
    const to = performance.now();
    const whole = { from: this.#readAt ?? this.#startedAt, to };
    // Models may work before the whole body is there.
    const modelMs = Math.min(this.#models?.busyMs ?? 0, lengthMs(whole));
    request.work = workDone({ whole, engine: this.#engine, modelMs }, this.#work);
    context.slowRequests?.note(request);
    if (request.index === null) return;
    const outcome = { status, milliseconds: lengthMs(whole), modelMs };
    const work = this.#work === undefined ? {} : { work: engineWork(this.#work) };
    meter?.add(request.index.id, this.#endpointId, { ...outcome, ...work });
  }
}

function lengthMs({ from, to }: Span): number {
  return to - from;
}

function engineWork([engineMs, expectedRecall, auditedRecall, promisedRecall]: AnswerWork) {
  return { engineMs, expectedRecall, auditedRecall, promisedRecall };
}
