// Logs what one cause may bring thousands of times a second: the first lines tell as much as all, and the others are counted.
import { LogBudget } from './log-budget.ts';
import type { Logger } from './request-log.ts';

/** Of one message. */
const LINES_A_SECOND_MAX = 10;

const budgets = new WeakMap<Logger, LogBudget>();

/** @param message a fixed text, by which lines are counted */
export function logTrouble(logger: Logger, level: 'warn' | 'error', fields: object, message: string): void {
  if (budgetOf(logger).take(message)) logger[level](fields, message);
}

function budgetOf(logger: Logger): LogBudget {
  return budgets.getOrInsertComputed(
    logger,
    () =>
      new LogBudget(LINES_A_SECOND_MAX, (skipped) =>
        logger.warn(
          { skipped: Object.fromEntries(skipped) },
          'troubles without a line of their own, by message',
        ),
      ),
  );
}
