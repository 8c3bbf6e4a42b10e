// Parses the regular expressions of Rust's regex crate, without what a finite automaton over whole terms cannot do.
import { type CaseFolding, inAnyCase, only, readClass, readEscape } from './character-sets.ts';
import { PatternCursor, type RegexError, type RegexNode } from './regex-syntax.ts';

const DEPTH_MAX = 64;
const REPEAT_MAX = 1_000;
const COUNTED = /\{([0-9]+)(,?)([0-9]*)\}/y;
const GROUP_NAME = /\?P?<[A-Za-z_][A-Za-z0-9_.[\]]*>/y;
const FLAGS = /\?([isu]*)([:)])/y;

/**
 * Supported: characters, `.`, classes, escapes, groups, `|`, `*`, `+`, `?`, `{n,m}` and the flags `i` and `s`. Refused:
 * anchors, boundaries, lookaround, references and lazy repetition.
 * @throws RegexError
 */
export function parseRegex(pattern: string): RegexNode {
  return new RegexParser(pattern).parse();
}

class RegexParser {
  readonly #cursor: PatternCursor;
  #depth = 0;
  #ignoresCase = false;

  constructor(pattern: string) {
    this.#cursor = new PatternCursor(pattern);
  }

  parse(): RegexNode {
    const node = this.#alternation();
    if (!this.#cursor.isAtEnd) throw this.#cursor.error('unmatched parenthesis');
    return node;
  }

  #alternation(): RegexNode {
    const parts = [this.#concatenation()];
    while (this.#cursor.eat('|')) parts.push(this.#concatenation());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'alternation', parts };
  }

  #concatenation(): RegexNode {
    const parts: RegexNode[] = [];
    while (!this.#cursor.isAtEnd && this.#cursor.peek() !== '|' && this.#cursor.peek() !== ')') {
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'concatenation', parts };
  }

  #repeated(atom: RegexNode): RegexNode {
    let part = atom;
    for (let bounds = this.#bounds(); bounds !== null; bounds = this.#bounds()) {
      if (this.#cursor.peek() === '?') throw this.#cursor.error('lazy repetition is not supported');
      part = { kind: 'repetition', part, ...bounds };
    }
    return part;
  }

  #bounds(): { readonly min: number; readonly max: number | null } | null {
    const cursor = this.#cursor;
    if (cursor.eat('*')) return { min: 0, max: null };
    if (cursor.eat('+')) return { min: 1, max: null };
    if (cursor.eat('?')) return { min: 0, max: 1 };
    const start = cursor.at;
    if (cursor.peek() !== '{') return null;
    const counted = cursor.eatMatch(COUNTED);
    if (counted === null)
      throw cursor.error('a repetition is written {2}, {2,} or {2,5}; escape other braces');
    const [, low, comma, high] = counted;
    const min = Number(low);
    const max = comma === '' ? min : high === '' ? null : Number(high);
    if (min > REPEAT_MAX || (max ?? 0) > REPEAT_MAX || (max !== null && max < min)) {
      throw cursor.error(`a repetition counts up to ${REPEAT_MAX}, the smaller number first`, start);
    }
    return { min, max };
  }

  #atom(): RegexNode {
    const cursor = this.#cursor;
    const start = cursor.at;
    const character = cursor.take();
    if (character === '(') return this.#group(start);
    if (character === '[') return { kind: 'set', set: readClass(cursor, this.#fold) };
    if (character === '.') return { kind: 'set', set: (codePoint) => codePoint !== 0x0a };
    if (character === '^' || character === '$')
      throw cursor.error('anchors are not supported: a pattern matches whole words', start);
    if ('*+?{'.includes(character)) throw cursor.error('nothing to repeat', start);
    if (character !== '\\') return this.#character(character.codePointAt(0) ?? 0);
    const { set, codePoint } = readEscape(cursor, this.#fold);
    return codePoint === null ? { kind: 'set', set } : this.#character(codePoint);
  }

  #group(start: number): RegexNode {
    const cursor = this.#cursor;
    const ignoredCase = this.#ignoresCase;
    if (++this.#depth > DEPTH_MAX) throw cursor.error(`groups are nested more than ${DEPTH_MAX} deep`, start);
    if (cursor.peek() === '?' && cursor.eatMatch(GROUP_NAME) === null) {
      const flags = cursor.eatMatch(FLAGS);
      if (flags === null) throw this.#unknownGroup(start);
      this.#ignoresCase ||= flags[1]?.includes('i') === true;
      if (flags[2] === ')') {
        this.#depth--;
        return { kind: 'empty' };
      }
    }
    const node = this.#alternation();
    if (!cursor.eat(')')) throw cursor.error('unmatched parenthesis', start);
    this.#ignoresCase = ignoredCase;
    this.#depth--;
    return node;
  }

  #unknownGroup(at: number): RegexError {
    return this.#cursor.error('lookaround and other special groups are not supported', at);
  }

  #character(codePoint: number): RegexNode {
    const set = this.#fold(only(codePoint));
    return this.#ignoresCase
      ? { kind: 'set', set }
      : { kind: 'set', set, character: String.fromCodePoint(codePoint) };
  }

  get #fold(): CaseFolding {
    return this.#ignoresCase ? inAnyCase : (set) => set;
  }
}
