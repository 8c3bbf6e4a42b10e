// Removes operations on files that ended long ago.
import type { Catalog } from '../../../catalog/port.ts';
import { OPERATION_LIFE_MS } from '../../../domain/assistants/limits.ts';

/** In one statement, so that others need not wait for long. */
const STEP_OPERATIONS = 1_000;

export interface ForgettingParts {
  readonly catalog: Pick<Catalog, 'assistantOperations'>;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** At most so many in one statement. */
  readonly stepOperations?: number;
}

/** Call it from time to time; safe at any time. */
export async function forgetOperations(parts: ForgettingParts): Promise<void> {
  const { catalog, signal, now = Date.now, stepOperations = STEP_OPERATIONS } = parts;
  const before = new Date(now() - OPERATION_LIFE_MS).toISOString();
  for (let removed = stepOperations; removed === stepOperations && !signal.aborted; )
    removed = await catalog.assistantOperations.forget(before, stepOperations);
}
