// Lets the serving thread go before the threads of models where there are more busy threads than cores.
import { constants, getPriority, setPriority } from 'node:os';

/** Gives the calling thread less of a busy processor, as the engine's threads have; where the system lets it. */
export function stepBack(): void {
  // Linux gives each thread a priority of its own, and 0 means the calling one; elsewhere it would be the whole process.
  if (process.platform !== 'linux') return;
  try {
    // Never forward, which root could do.
    setPriority(0, Math.max(getPriority(0), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // A sandbox may forbid it; models only get less polite.
  }
}
