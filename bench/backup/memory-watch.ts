// Watches the memory and the processor time of another process.
import { readFileSync } from 'node:fs';

const LOOK_MS = 50;

/** The most memory that a process has had since, above what it had then, in megabytes. */
export class MemoryWatch {
  readonly #pid: number;
  readonly #idle: number;
  readonly #timer: NodeJS.Timeout;
  #most = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#idle = this.#resident();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  stop(): number {
    clearInterval(this.#timer);
    this.#look();
    return this.#most - this.#idle;
  }

  #look(): void {
    this.#most = Math.max(this.#most, this.#resident());
  }

  #resident(): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_000;
  }
}

const TICKS_A_SECOND = 100;

/** Processor time of all threads of a process so far, in seconds. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain anything; the times are the 12th and 13th fields after it.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / TICKS_A_SECOND;
}
