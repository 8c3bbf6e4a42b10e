// Tracks whether a position in a streamed Markdown text is inside code.

const BLOCK_MARK_LENGTH = 3;

export class CodeFence {
  #isBlock = false;
  #isInline = false;
  /** Backticks right before the position. */
  #run = 0;

  /** Advances past the text. */
  pass(text: string): void {
    for (const character of text) {
      if (character === '`') {
        this.#run++;
        continue;
      }
      this.#endRun();
      // Inline code ends with its line, closed or not.
      if (character === '\n') this.#isInline = false;
    }
  }

  /** Only valid where no backtick follows. */
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
