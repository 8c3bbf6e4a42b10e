// Logs requests to indexes that took long: where the time went, and what a search did.
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LogBudget } from './log-budget.ts';

/** When everything is slow, the first lines tell as much as all. */
const LINES_A_SECOND_MAX = 10;

export class SlowRequests {
  /** In milliseconds; requests that take as long are slow. */
  readonly fromMs: number;
  readonly #logger: Logger;
  readonly #budget: LogBudget;

  constructor(logger: Logger, fromMs: number) {
    this.fromMs = fromMs;
    this.#logger = logger;
    this.#budget = new LogBudget(LINES_A_SECOND_MAX, (skipped) =>
      logger.warn(
        { skipped: Object.fromEntries(skipped) },
        'slow requests without a line of their own, by operation',
      ),
    );
  }

  /** Logs a request that has ended, if it was slow. Its query, filter and namespace stay out of the log. */
  note({ id, trace, work, index, access, routeOptions }: FastifyRequest): void {
    if (work === null || work.totalMs < this.fromMs) return;
    const operation = routeOptions.config.endpoint?.id ?? '';
    if (!this.#budget.take(operation)) return;
    const { explanation, engine: _, ...times } = work;
    this.#logger.warn(
      {
        requestId: id,
        traceId: trace?.traceId,
        operation,
        ...times,
        index: index?.name,
        project: access?.projectId,
        principal: access?.principalId,
        ...(explanation !== null && { explain: explanation }),
      },
      'slow request',
    );
  }
}
