// A stream with a writer and a reader, at the reader's pace.

export class ByteFeed implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #isEnded = false;
  #error: unknown;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  /** Resolves when the reader has consumed everything before. @throws the error of `fail` */
  async push(bytes: Uint8Array): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
    }
    if (this.#error !== undefined) throw this.#error;
    this.#waiting.push(bytes);
    this.#wakeReader?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wakeReader?.();
  }

  /** Reader and writer get the error instead of the rest. */
  fail(error: unknown): void {
    this.#error = error;
    this.#isEnded = true;
    this.#wakeReader?.();
    this.#wakeWriter?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const bytes = this.#waiting.shift();
      if (bytes !== undefined) {
        this.#wakeWriter?.();
        yield bytes;
      } else if (this.#isEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
    }
  }
}
