// Resumes reads that waited for a namespace one by one, so that the reads of others come in between: a namespace that is
// loaded would otherwise have all that wait for it run in a row, before the thread takes up anything else.

export class Resumptions {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the read's turn: one for each turn of the event loop, in order. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#resumeNext();
    });
  }

  #resumeNext(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      // Messages arrive before the next one.
      if (this.#waiting.length > 0) this.#resumeNext();
    });
  }
}

/** Of all reads of a thread. */
export const resumptions = new Resumptions();
