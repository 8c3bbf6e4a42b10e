// Something that a client does until the server dies, and what must be true of it after the next start.
import type { Service } from '../service.ts';

export interface Activity {
  readonly name: string;
  /** Creates what it works on, once. */
  prepare(service: Service): Promise<void>;
  /** Works until the server is gone. @throws when the server refuses what it should not */
  work(): Promise<void>;
  /**
   * Compares what is stored with what was acknowledged.
   * @param at when the server ended, on the monotonic clock in nanoseconds
   * @throws AssertionError
   */
  verify(at: bigint): Promise<void>;
  /** Acknowledged requests so far. */
  readonly acknowledged: number;
}

/** Runs steps until the connection breaks. @throws what is no broken connection */
export async function untilGone(step: () => Promise<void>): Promise<void> {
  try {
    while (true) await step();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const GONE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function isGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return GONE.has(code) || /socket hang up|aborted|The server is stopping|shutting down/.test(error.message);
}
