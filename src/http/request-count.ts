// Counts a request to an index once, from its body having been read until its answer is ready: the status that is sent,
// its time, and which parts of that the engine and models took. One that is answered before its body was read has all of
// its time. One whose client leaves in the middle of the body is not counted: it was never sent, nor is an answer.
import type { FastifyRequest } from 'fastify';
import type { AnswerWork, DataAnswer } from '../api/data-request.ts';
import type { RequestMeter, RequestOutcome } from '../app/monitoring/request-meter.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { AppContext } from './app.ts';
import { BodyCutOff } from './bodies/read-body.ts';
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
  #models: TimedInference | null = null;
  #engine: Span | null = null;
  #work: AnswerWork | undefined;

  constructor(counting: Counting, request: FastifyRequest, endpointId: string) {
    this.#counting = counting;
    this.#request = request;
    this.#endpointId = endpointId;
  }

  /** Reads the body, whose end begins the request's time. @throws what reading it throws */
  async read<Body>(reading: Promise<Body>): Promise<Body> {
    try {
      return await reading;
    } finally {
      this.#bodyRead();
    }
  }

  /** Passes a body on; its end, or its refusal, begins the request's time. @throws what reading it throws */
  async *body(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      this.#bodyRead();
      throw error;
    }
    this.#bodyRead();
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
   * Does the whole work of the request, up to what is sent, and counts how it ends.
   * @throws what the work throws
   */
  async of(work: () => Promise<DataAnswer>): Promise<DataAnswer> {
    try {
      const answer = await work();
      this.#count(answer.status, answer.refusal);
      return answer;
    } catch (error) {
      if (!(error instanceof BodyCutOff)) {
        const { status, condition } = faultOf(error, this.#request);
        this.#count(status, condition);
      }
      throw error;
    }
  }

  #bodyRead(): void {
    this.#readAt = performance.now();
  }

  #count(status: number, condition: RequestOutcome['condition']): void {
    const { context, meter } = this.#counting;
    const request = this.#request;
    const to = performance.now();
    const whole = { from: this.#readAt ?? this.#startedAt, to };
    // Models may work before the whole body is there.
    const modelMs = Math.min(this.#models?.busyMs ?? 0, lengthMs(whole));
    request.work = workDone({ whole, engine: this.#engine, modelMs }, this.#work);
    context.slowRequests?.note(request);
    if (request.index === null) return;
    const outcome = { status, condition, milliseconds: lengthMs(whole), modelMs };
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
