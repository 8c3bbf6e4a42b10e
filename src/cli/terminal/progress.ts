// Shows progress with rate and time left: a bar on a terminal, an occasional line elsewhere.
import type { Io } from '../command.ts';

const BAR_CHARS = 30;
const LINE_MS = 10_000;
const LINE_PERCENT = 10;
/** Earlier, an estimate of the time left says nothing. */
const ESTIMATE_MS_MIN = 2_000;
const ESTIMATE_PERCENT_MIN = 1;
/** A terminal is drawn at most this often. */
const DRAW_MS = 100;
const WHOLE_PERCENT = 100;
/** Goes to the beginning of the line and clears it. */
const BEGINNING_AND_CLEAR = '\r\u001b[K';

export class Progress {
  readonly #io: Io;
  readonly #what: string;
  readonly #now: () => number;
  readonly #begun: number;
  #percent = 0;
  /** Whether `share` or `show` has said how far it is. */
  #isMeasured = false;
  #counted = '';
  #saidAt = Number.NEGATIVE_INFINITY;
  #saidPercent = Number.NEGATIVE_INFINITY;
  /** The line held back because another was printed shortly before. */
  #pendingLine = '';
  #hasDrawn = false;

  constructor(io: Io, what: string, now = () => performance.now()) {
    this.#io = io;
    this.#what = what;
    this.#now = now;
    this.#begun = now();
  }

  /** @param percent 0 to 100 */
  show(percent: number, detail: string): void {
    this.#percent = percent;
    this.#isMeasured = true;
    this.#print(detail);
  }

  /** @param share 0 to 1, shown with the next count */
  share(share: number): void {
    this.#percent = Math.min(1, share) * WHOLE_PERCENT;
    this.#isMeasured = true;
  }

  /** Shows how many are done, and how many in a second. */
  count(done: number, what: string): void {
    const seconds = (this.#now() - this.#begun) / 1_000;
    const rate = seconds > 0 ? Math.round(done / seconds) : 0;
    this.#counted = `${done.toLocaleString('en-US')} ${what}${done === 1 ? '' : 's'}, ${rate.toLocaleString('en-US')}/s`;
    this.#print(this.#counted);
  }

  #print(detail: string): void {
    const { columns } = this.#io;
    const left = this.#timeLeft();
    const text = left === null ? detail : `${detail}, ${left} left`;
    const now = this.#now();
    const percent = `${this.#percent.toFixed(1)} %`;
    this.#pendingLine = this.#isMeasured
      ? `${this.#what}: ${percent}, ${text}\n`
      : `${this.#what}: ${text}\n`;
    if (columns === null) {
      if (now - this.#saidAt < LINE_MS && this.#percent - this.#saidPercent < LINE_PERCENT) return;
      this.#io.err(this.#pendingLine);
      this.#pendingLine = '';
    } else {
      if (now - this.#saidAt < DRAW_MS && this.#percent < WHOLE_PERCENT) return;
      const filled = Math.round((this.#percent / WHOLE_PERCENT) * BAR_CHARS);
      const bar = this.#isMeasured ? `[${'#'.repeat(filled).padEnd(BAR_CHARS, '.')}] ${percent}  ` : '';
      // A line that wraps could not be overwritten.
      this.#io.control('err', BEGINNING_AND_CLEAR);
      this.#io.err(`${this.#what} ${bar}${text}`.slice(0, columns - 1));
      this.#hasDrawn = true;
    }
    this.#saidAt = now;
    this.#saidPercent = this.#percent;
  }

  /** Estimated from the time so far; null while there is no estimate. */
  #timeLeft(): string | null {
    const elapsed = this.#now() - this.#begun;
    if (!this.#isMeasured || this.#percent >= WHOLE_PERCENT) return null;
    if (elapsed < ESTIMATE_MS_MIN || this.#percent < ESTIMATE_PERCENT_MIN) return null;
    return duration((elapsed * (WHOLE_PERCENT - this.#percent)) / this.#percent);
  }

  /** Ends the drawn line, and prints the line held back. Must be called once. */
  end(): void {
    if (this.#io.columns === null) this.#io.err(this.#pendingLine);
    else if (this.#hasDrawn) this.#io.err('\n');
  }
}

/** `45 s`, `3 min`, `2 h 10 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
