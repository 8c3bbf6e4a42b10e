// Lowers the priority of model threads, so that the main thread goes first when cores are scarce.
import { constants, getPriority, setPriority } from 'node:os';

/** Lowers the priority of the calling thread, as engine threads do, if the system permits it. */
export function stepBack(): void {
  // On Linux each thread has its own priority, and 0 means the calling one; elsewhere 0 is the whole process.
  if (process.platform !== 'linux') return;
  try {
    // Never raises the priority, which root could do.
    setPriority(0, Math.max(getPriority(0), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // A sandbox may forbid it; then models merely compete more with requests.
  }
}
