// A cursor over a query string, whose errors name positions.
import { type Fault, invalid } from '../../faults.ts';

const SPACE = /\s/u;

export class Scanner {
  readonly text: string;
  /** In code units. */
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The code unit at the cursor or after it; empty at the end. */
  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? '';
  }

  /** Whether an atom may end here: before a space, a closing parenthesis, a boost, or at the end. */
  isBoundary(ahead = 0): boolean {
    const next = this.peek(ahead);
    return next === '' || next === ')' || next === '^' || isSpace(next);
  }

  /** Consumes a text if it is next. */
  eat(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Consumes a keyword if it is next, and a space or parenthesis follows or the text ends. */
  eatKeyword(word: string): boolean {
    const after = this.peek(word.length);
    if (after !== '' && after !== '(' && after !== ')' && !isSpace(after)) return false;
    return this.eat(word);
  }

  /** Consumes decimal digits; empty if there are none. */
  digits(): string {
    const start = this.at;
    while (/^[0-9]$/.test(this.peek())) this.at++;
    return this.text.slice(start, this.at);
  }

  skipSpace(): void {
    while (isSpace(this.peek())) this.at++;
  }

  /** The error of a position; people count characters from 1. */
  error(reason: string, at = this.at): Fault {
    const position = [...this.text.slice(0, at)].length + 1;
    return invalid(`Invalid query string: position ${position}: ${reason}`);
  }
}

export function isSpace(text: string): boolean {
  return SPACE.test(text);
}
