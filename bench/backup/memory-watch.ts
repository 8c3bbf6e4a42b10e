// Watches the memory of another process.
import { processMemory } from '../support/process-memory.ts';

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
    return processMemory(this.#pid).resident / 1_000_000;
  }
}
