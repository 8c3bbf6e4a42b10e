// Tells whether a place of a Markdown text that comes in pieces is inside of code.

const BLOCK_MARK_LENGTH = 3;

export class CodeFence {
  #isBlock = false;
  #isInline = false;
  /** Backticks right before the place. */
  #run = 0;

  /** Goes on behind the text. */
  pass(text: string): void {
    for (const character of text) {
      if (character === '`') {
        this.#run++;
        continue;
      }
      this.#endRun();
      // Code within a line ends with it, whether or not its mark was closed.
      if (character === '\n') this.#isInline = false;
    }
  }

  /** To be asked where no backtick follows. */
  get isCode(): boolean {
    this.#endRun();
    return this.#isBlock || this.#isInline;
  }

  #endRun(): void {
    if (this.#run >= BLOCK_MARK_LENGTH) this.#isBlock = !this.#isBlock;
    else if (this.#run > 0 && !this.#isBlock) this.#isInline = !this.#isInline;
    this.#run = 0;
  }
}
