// The priority of a thread: when more threads are busy than there are cores, the serving thread runs first.
import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/**
 * When more threads are busy than there are cores, the serving thread goes first and builders last.
 * @returns false where the system does not let a thread step back, or the process was started behind that place
 */
export function takePriority(kind: 'reader' | 'writer' | 'builder'): boolean {
  // Linux gives each thread a priority of its own, and 0 means the calling one.
  if (process.platform !== 'linux') return false;
  try {
    const wanted = kind === 'builder' ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL;
    // Never forward, which root could do.
    if (getPriority(0) >= wanted) return false;
    setPriority(0, wanted);
    return true;
  } catch {
    // A sandbox may forbid it; the engine only gets less polite.
    return false;
  }
}
