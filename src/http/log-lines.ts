// The lines of the log on their way to where they are kept. The server goes on whatever becomes of them: where nobody
// takes them, as on a full disk or from a pipe that nobody reads, they are dropped and counted.

/** Where bytes are written. */
export interface LogTarget {
  /** Writes some of the bytes, without holding up this thread. */
  readonly write: (
    bytes: Buffer,
    onWritten: (error: NodeJS.ErrnoException | null, written: number) => void,
  ) => void;
  /** Writes some of the bytes before it returns. @returns how many. @throws what the system says */
  readonly writeNow: (bytes: Buffer) => number;
}

/** What was dropped since lines were last written. */
export interface LostLines {
  readonly lines: number;
  /** The code of the last error, as ENOSPC, or that nobody reads as fast as lines come. */
  readonly reason: string;
}

/** Of lines that wait: thousands of them. */
export const WAITING_CHARACTERS_MAX = 4 * 1_024 * 1_024;
/** Of one write: as much as a pipe holds. */
const WRITE_CHARACTERS_MAX = 64 * 1_024;
/** Until a full pipe is tried again. */
const RETRY_MS = 20;
/** How long `flushSync` waits for a reader that takes nothing. */
const PATIENCE_MS = 1_000;
/** And for one that takes little at a time. */
const FLUSH_MS_MAX = 5_000;
const PATIENCE_STEP_MS = 5;
const NEWLINE = 0x0a;
/** A pipe that is full at the moment. */
const BUSY: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EBUSY', 'EINTR']);

export class LogLines {
  readonly #target: LogTarget;
  readonly #onLost: (lost: LostLines) => void;
  #waiting: string[] = [];
  #waitingCharacters = 0;
  /** What a write has left over. */
  #rest: Buffer | null = null;
  #isWriting = false;
  #isScheduled = false;
  #lost: LostLines = { lines: 0, reason: '' };
  /** True when the last byte that was written ends a line. */
  #isAtLineEnd = true;
  /** True when what was written ends in a line whose rest was dropped. */
  #isCut = false;

  /** @param onLost called once lines are written again after some were dropped; may write */
  constructor(target: LogTarget, onLost: (lost: LostLines) => void) {
    this.#target = target;
    this.#onLost = onLost;
  }

  /** Takes a line with its end, which is written soon, together with those that come meanwhile. */
  write(line: string): void {
    if (this.#waitingCharacters + line.length > WAITING_CHARACTERS_MAX) {
      this.#lose(Buffer.from(line), 'not read as fast as written');
      return;
    }
    this.#waiting.push(line);
    this.#waitingCharacters += line.length;
    this.#schedule();
  }

  /**
   * Writes what waits before it returns, for a process that is about to end. Gives up at the first error, when a reader
   * takes nothing for a second, and after five seconds in all.
   */
  flushSync(): void {
    const endAt = performance.now() + FLUSH_MS_MAX;
    let giveUpAt = performance.now() + PATIENCE_MS;
    for (let bytes = this.#take(); bytes !== null; bytes = this.#take()) {
      try {
        this.#settle(bytes, null, this.#target.writeNow(bytes));
        giveUpAt = Math.min(endAt, performance.now() + PATIENCE_MS);
        if (performance.now() > endAt) return;
      } catch (error) {
        const failure = error as NodeJS.ErrnoException;
        this.#settle(bytes, failure, 0);
        if (!BUSY.has(failure.code) || performance.now() > giveUpAt) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_STEP_MS);
      }
    }
  }

  #writeNext(): void {
    if (this.#isWriting) return;
    const bytes = this.#take();
    if (bytes === null) return;
    this.#isWriting = true;
    this.#target.write(bytes, (error, written) => {
      this.#isWriting = false;
      this.#settle(bytes, error, written);
      if (error !== null && BUSY.has(error.code)) this.#schedule(RETRY_MS);
      else this.#writeNext();
    });
  }

  #schedule(waitMs = 0): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const next = () => {
      this.#isScheduled = false;
      this.#writeNext();
    };
    // Unreferenced: a process that has nothing else to do does not wait for a full pipe.
    if (waitMs > 0) setTimeout(next, waitMs).unref();
    else setImmediate(next);
  }

  /** What is to be written next; null when nothing waits. */
  #take(): Buffer | null {
    const rest = this.#rest;
    this.#rest = null;
    if (rest !== null) return rest;
    if (this.#waiting.length === 0) return null;
    let characters = 0;
    const end = this.#waiting.findIndex((line) => {
      const isFull = characters > 0 && characters + line.length > WRITE_CHARACTERS_MAX;
      if (!isFull) characters += line.length;
      return isFull;
    });
    const lines = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    this.#waitingCharacters -= characters;
    // Whoever reads lines finds the cut one alone.
    return Buffer.from(`${this.#isCut ? '\n' : ''}${lines.join('')}`);
  }

  #settle(bytes: Buffer, error: NodeJS.ErrnoException | null, written: number): void {
    if (error !== null) {
      if (BUSY.has(error.code)) this.#keep(bytes);
      else this.#lose(bytes, error.code ?? error.message, !this.#isAtLineEnd);
      return;
    }
    if (written > 0) {
      this.#isCut = false;
      this.#isAtLineEnd = bytes[written - 1] === NEWLINE;
    }
    if (written < bytes.length) this.#keep(bytes.subarray(written));
    this.#tellLost();
  }

  /** What was written beside it meanwhile, by `flushSync`, may have left something over, too. */
  #keep(bytes: Buffer): void {
    this.#rest = this.#rest === null ? bytes : Buffer.concat([bytes, this.#rest]);
  }

  #lose(bytes: Buffer, reason: string, isCut = this.#isCut): void {
    this.#isCut = isCut;
    this.#lost = { lines: this.#lost.lines + linesIn(bytes), reason };
  }

  #tellLost(): void {
    const lost = this.#lost;
    // What tells of it may wait, too, and must not be lost in its turn.
    if (lost.lines === 0 || this.#waitingCharacters > WAITING_CHARACTERS_MAX / 2) return;
    this.#lost = { lines: 0, reason: '' };
    this.#onLost(lost);
  }
}

/** Line ends, but for one at the beginning, which ends a line that was written. */
function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE, 1); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
