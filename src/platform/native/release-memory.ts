// Returns unused memories to the system. A shared WebAssembly memory is unmapped when every thread that referenced it has
// collected garbage, which an idle thread would never do by itself.
import { Session } from 'node:inspector/promises';

/** Several releases in this time share one collection. */
const DELAY_MS = 50;

let isDue = false;

/** Collects this thread's garbage soon: some 30 ms, once for all calls in between. */
export function releaseMemorySoon(): void {
  if (isDue) return;
  isDue = true;
  setTimeout(() => void collect(), DELAY_MS).unref();
}

async function collect(): Promise<void> {
  isDue = false;
  const session = new Session();
  try {
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
  } catch {
    // Memory is freed when the thread next collects by itself.
  } finally {
    session.disconnect();
  }
}
