// The priority of a thread: when more threads are busy than there are cores, the main thread runs first.
import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/**
 * Lowers the priority of the calling thread: the main thread goes first, builders last.
 * @returns false if the system does not allow it, or the process has an even lower priority
 */
export function takePriority(kind: 'reader' | 'writer' | 'builder'): boolean {
  // On Linux each thread has its own priority, and 0 means the calling thread.
  if (process.platform !== 'linux') return false;
  try {
    const priority = kind === 'builder' ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL;
    // Never raised, which root could do.
    if (getPriority(0) >= priority) return false;
    setPriority(0, priority);
    return true;
  } catch {
    // A sandbox may forbid it; then all threads compete equally.
    return false;
  }
}
