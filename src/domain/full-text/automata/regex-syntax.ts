// The parts of a regular expression, and the error of one that cannot be used.

/** Whether a code point belongs to a set of characters. */
export type CharacterSet = (codePoint: number) => boolean;

export type RegexNode =
  | { readonly kind: 'empty' }
  /** `character`, where it is the only one in the set. */
  | { readonly kind: 'set'; readonly set: CharacterSet; readonly character?: string }
  | { readonly kind: 'concatenation'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'alternation'; readonly parts: readonly RegexNode[] }
  /** `max` is null when there is no bound. */
  | {
      readonly kind: 'repetition';
      readonly part: RegexNode;
      readonly min: number;
      readonly max: number | null;
    };

/** What is wrong with a pattern, and where. */
export class RegexError extends Error {
  /** In code units of the pattern. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'RegexError';
    this.at = at;
  }
}

/** A cursor over a pattern. */
export class PatternCursor {
  readonly pattern: string;
  at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** The character (code point) at the cursor; empty at the end. */
  peek(): string {
    const point = this.pattern.codePointAt(this.at);
    return point === undefined ? '' : String.fromCodePoint(point);
  }

  /** Consumes one character. */
  take(): string {
    const character = this.peek();
    this.at += character.length;
    return character;
  }

  /** Consumes a text if it is next. */
  eat(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Consumes what a sticky regular expression matches here. */
  eatMatch(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at;
    const match = sticky.exec(this.pattern);
    if (match !== null) this.at = sticky.lastIndex;
    return match;
  }

  error(message: string, at = this.at): RegexError {
    return new RegexError(message, at);
  }
}
