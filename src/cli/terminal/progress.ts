// Shows progress: a bar on a terminal, an occasional line elsewhere.
import type { Io } from '../command.ts';

const BAR_CHARS = 30;
const LINE_MS = 10_000;
const LINE_PERCENT = 10;

export class Progress {
  readonly #io: Io;
  readonly #what: string;
  #saidAt = Number.NEGATIVE_INFINITY;
  #saidPercent = Number.NEGATIVE_INFINITY;
  /** The line held back because another was printed shortly before. */
  #pendingLine = '';

  constructor(io: Io, what: string) {
    this.#io = io;
    this.#what = what;
  }

  /** @param percent 0 to 100 */
  show(percent: number, detail: string): void {
    const { err, columns } = this.#io;
    if (columns !== null) {
      const filled = Math.round((percent / 100) * BAR_CHARS);
      const bar = '#'.repeat(filled).padEnd(BAR_CHARS, '.');
      const line = `${this.#what} [${bar}] ${percent.toFixed(1)} %  ${detail}`;
      // A line that wraps could not be overwritten.
      err(`\r\u001b[K${line.slice(0, columns - 1)}`);
      return;
    }
    const now = performance.now();
    this.#pendingLine = `${this.#what}: ${percent.toFixed(1)} %, ${detail}\n`;
    if (now - this.#saidAt < LINE_MS && percent - this.#saidPercent < LINE_PERCENT) return;
    this.#saidAt = now;
    this.#saidPercent = percent;
    err(this.#pendingLine);
    this.#pendingLine = '';
  }

  /** Ends the drawn line, and prints the line held back. Must be called once. */
  end(): void {
    this.#io.err(this.#io.columns === null ? this.#pendingLine : '\n');
  }
}
