// The smallest parts of a query string: field names, words, quoted phrases, regular expressions and boosts.
import { BOOST_MAX, FUZZY_EDITS_MAX, SLOP_MAX } from '../query-limits.ts';
import { isSpace, type Scanner } from './scanner.ts';
import type { Fuzziness } from './syntax-tree.ts';

/** Characters that end a word and that a backslash makes part of one. */
const ENDS_WORD = '^`:{}"\'[]()';
/** Characters that a field name has only after a backslash. */
const ENDS_FIELD = '+^`:{}"\'[]()!*';

interface Word {
  readonly text: string;
  readonly fuzziness: Fuzziness;
  readonly endsInStar: boolean;
}

interface Phrase {
  readonly text: string;
  readonly slop: number;
  readonly isPrefix: boolean;
}

/** Reads a field name and its colon; reads nothing and returns null if there is none. */
export function readFieldName(scanner: Scanner): string | null {
  const start = scanner.at;
  let name = '';
  while (scanner.peek() !== '' && !isSpace(scanner.peek())) {
    if (scanner.peek() === '\\' && scanner.peek(1) !== '') scanner.at++;
    else if (ENDS_FIELD.includes(scanner.peek()) || (name === '' && scanner.peek() === '-')) break;
    name += scanner.peek();
    scanner.at++;
  }
  scanner.skipSpace();
  if (name !== '' && scanner.eat(':')) {
    scanner.skipSpace();
    return name;
  }
  scanner.at = start;
  return null;
}

/** Reads a word with what may follow it: `~`, `~1` or `*`. Reads nothing and returns null if none begins here. */
export function readWord(scanner: Scanner): Word | null {
  const start = scanner.at;
  if (scanner.peek() === '-' && !/^[0-9]$/.test(scanner.peek(1))) return null;
  let text = '';
  /** Length of `text` after the last escaped character: what stands before it has no special meaning. */
  let literal = 0;
  while (scanner.peek() !== '' && !isSpace(scanner.peek()) && !ENDS_WORD.includes(scanner.peek())) {
    const isEscape = scanner.peek() === '\\';
    if (isEscape) scanner.at++;
    if (isEscape && scanner.isAtEnd) throw scanner.error('nothing to escape', scanner.at - 1);
    text += scanner.peek();
    scanner.at++;
    if (isEscape) literal = text.length;
  }
  if (scanner.at === start) return null;
  const suffix = /(?:~(?<edits>[0-9.]*)|(?<star>\*))$/.exec(text.slice(literal));
  if (suffix === null || suffix[0].length === text.length)
    return { text, fuzziness: null, endsInStar: false };
  const stem = text.slice(0, text.length - suffix[0].length);
  if (suffix.groups?.star !== undefined) return { text: stem, fuzziness: null, endsInStar: true };
  const fuzziness = fuzzinessOf(suffix.groups?.edits ?? '', scanner);
  return { text: stem, fuzziness, endsInStar: false };
}

function fuzzinessOf(digits: string, scanner: Scanner): Fuzziness {
  if (digits === '') return 'byLength';
  const edits = Number(digits);
  if (!Number.isInteger(edits) || edits > FUZZY_EDITS_MAX) {
    throw scanner.error(
      `a fuzzy word takes 0 to ${FUZZY_EDITS_MAX} edits, not ${digits.slice(0, 20)}`,
      scanner.at - digits.length,
    );
  }
  return edits;
}

/** Reads a phrase in double or single quotes, with what may follow it: `~2` or `*`. */
export function readPhrase(scanner: Scanner): Phrase {
  const start = scanner.at;
  const quote = scanner.peek();
  scanner.at++;
  let text = '';
  while (scanner.peek() !== quote) {
    if (scanner.peek() === '\\') scanner.at++;
    if (scanner.isAtEnd) throw scanner.error('unmatched quote', start);
    text += scanner.peek();
    scanner.at++;
  }
  scanner.at++;
  if (scanner.eat('*')) return { text, slop: 0, isPrefix: true };
  if (!scanner.eat('~')) return { text, slop: 0, isPrefix: false };
  const digits = scanner.digits();
  if (digits === '') throw scanner.error('the slop of a phrase is a number, as in "a b"~2');
  return { text, slop: Math.min(Number(digits), SLOP_MAX), isPrefix: false };
}

/** Reads a regular expression between slashes; reads nothing and returns null where the text is none, such as `/a/b`. */
export function readRegex(scanner: Scanner): string | null {
  const start = scanner.at;
  let pattern = '';
  scanner.at++;
  while (!scanner.isAtEnd && scanner.peek() !== '/') {
    // A backslash and what it escapes; `\/` is a slash in the expression, too.
    const length = scanner.peek() === '\\' ? 2 : 1;
    pattern += scanner.text.slice(scanner.at, scanner.at + length);
    scanner.at += length;
  }
  if (pattern !== '' && scanner.eat('/') && scanner.isBoundary()) return pattern;
  scanner.at = start;
  return null;
}

/** Reads a boost such as `^2` or `^0.5`; null if there is none. */
export function readBoost(scanner: Scanner): number | null {
  const start = scanner.at;
  if (!scanner.eat('^')) return null;
  const whole = scanner.digits();
  const hasFraction = scanner.peek() === '.';
  if (hasFraction) scanner.at++;
  const fraction = hasFraction ? scanner.digits() : '0';
  const factor = Number(`${whole}.${fraction}`);
  if (whole === '' || fraction === '' || factor > BOOST_MAX || !isAfterBoost(scanner)) {
    throw scanner.error('a boost is one number without sign or exponent, as in ^2 or ^0.5', start);
  }
  return factor;
}

function isAfterBoost(scanner: Scanner): boolean {
  return scanner.peek() !== '^' && scanner.isBoundary();
}
