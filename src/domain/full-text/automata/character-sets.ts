// Sets of characters in regular expressions: escapes such as `\d` and `\p{L}`, and classes such as `[a-z_]`.
import type { CharacterSet, PatternCursor } from './regex-syntax.ts';

const NAMED: Readonly<Record<string, RegExp>> = {
  d: /^\p{Nd}$/u,
  s: /^\p{White_Space}$/u,
  w: /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u,
};
const POSIX: Readonly<Record<string, RegExp>> = {
  alnum: /^[0-9A-Za-z]$/,
  alpha: /^[A-Za-z]$/,
  ascii: /^\p{ASCII}$/u,
  blank: /^[\t ]$/,
  digit: /^[0-9]$/,
  lower: /^[a-z]$/,
  punct: /^[!-/:-@[-`{-~]$/,
  space: /^[\t\n\v\f\r ]$/,
  upper: /^[A-Z]$/,
  word: /^[0-9A-Za-z_]$/,
  xdigit: /^[0-9A-Fa-f]$/,
};
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  a: '\u0007',
};
const CODE_POINT = /x([0-9A-Fa-f]{2})|[xuU]\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})/y;
const PROPERTY = /([pP])(?:\{(\^?)([A-Za-z_]+(?:=[A-Za-z_]+)?)\}|([A-Z]))/y;
const POSIX_CLASS = /\[:(\^?)([a-z]+):\]/y;
const CODE_POINT_MAX = 0x10ffff;

/** An escape is one character or a set of them. */
type Escape =
  | { readonly codePoint: number; readonly set: null }
  | { readonly codePoint: null; readonly set: CharacterSet };

/** Widens a set by the other case of its characters, or leaves it as it is; what is negated is so afterwards. */
export type CaseFolding = (set: CharacterSet) => CharacterSet;

export function only(codePoint: number): CharacterSet {
  return (each) => each === codePoint;
}

/** A character in upper or lower case is in the set if one of both is; an upper case of several characters is none. */
export const inAnyCase: CaseFolding = (set) => (codePoint) => {
  const character = String.fromCodePoint(codePoint);
  return [character, character.toLowerCase(), character.toUpperCase()].some(
    (each) => [...each].length === 1 && set(each.codePointAt(0) ?? 0),
  );
};

/** Reads what stands after a backslash, which is consumed. */
export function readEscape(cursor: PatternCursor, fold: CaseFolding): Escape {
  const start = cursor.at - 1;
  const hexadecimal = cursor.eatMatch(CODE_POINT);
  if (hexadecimal !== null) {
    const codePoint = Number.parseInt(hexadecimal.slice(1).join(''), 16);
    if (codePoint > CODE_POINT_MAX) throw cursor.error('no such character', start);
    return { codePoint, set: null };
  }
  const property = cursor.eatMatch(PROPERTY);
  if (property !== null) return { codePoint: null, set: propertySet(property, { cursor, at: start, fold }) };
  const letter = cursor.take();
  if (letter === '') throw cursor.error('nothing to escape', start);
  const named = NAMED[letter.toLowerCase()];
  if (named !== undefined)
    return { codePoint: null, set: setOf(named, { isNegated: letter !== letter.toLowerCase(), fold }) };
  if (/^[0-9]$/.test(letter)) throw cursor.error('references to groups are not supported', start);
  if (/^[bBAzZG]$/.test(letter))
    throw cursor.error('boundaries are not supported: a pattern matches whole words', start);
  const control = CONTROLS[letter];
  if (control === undefined && /^\p{Alphabetic}$/u.test(letter))
    throw cursor.error(`unknown escape \\${letter}`, start);
  return { codePoint: (control ?? letter).codePointAt(0) ?? 0, set: null };
}

/** Reads a class after its `[`, which is consumed. */
export function readClass(cursor: PatternCursor, fold: CaseFolding): CharacterSet {
  const start = cursor.at - 1;
  const isNegated = cursor.eat('^');
  const sets: CharacterSet[] = [];
  while (sets.length === 0 || cursor.peek() !== ']') {
    if (cursor.isAtEnd) throw cursor.error('unclosed class', start);
    sets.push(readClassItem(cursor, fold));
  }
  cursor.take();
  const isInSome: CharacterSet = (codePoint) => sets.some((set) => set(codePoint));
  return isNegated ? (codePoint) => !isInSome(codePoint) : isInSome;
}

function readClassItem(cursor: PatternCursor, fold: CaseFolding): CharacterSet {
  const start = cursor.at;
  const posix = cursor.eatMatch(POSIX_CLASS);
  if (posix !== null) {
    const named = POSIX[posix[2] ?? ''];
    if (named === undefined) throw cursor.error(`unknown class ${posix[0]}`, start);
    return setOf(named, { isNegated: posix[1] === '^', fold });
  }
  if (/^(?:\[|&&|--|~~)/.test(cursor.pattern.slice(start, start + 2))) {
    throw cursor.error('operations on classes are not supported; escape the character', start);
  }
  const first = readClassCharacter(cursor, fold);
  if (first.set !== null) return first.set;
  const isRange = cursor.peek() === '-' && !'-]'.includes(cursor.pattern[cursor.at + 1] ?? ']');
  if (!isRange) return fold(only(first.codePoint));
  cursor.take();
  const last = readClassCharacter(cursor, fold);
  if (last.set !== null || last.codePoint < first.codePoint) throw cursor.error('invalid range', start);
  const [low, high] = [first.codePoint, last.codePoint];
  return fold((codePoint) => codePoint >= low && codePoint <= high);
}

function readClassCharacter(cursor: PatternCursor, fold: CaseFolding): Escape {
  const character = cursor.take();
  return character === '\\'
    ? readEscape(cursor, fold)
    : { codePoint: character.codePointAt(0) ?? 0, set: null };
}

function propertySet(match: RegExpExecArray, { cursor, at, fold }: PropertyPlace): CharacterSet {
  const [, sign, caret, longName, letter] = match;
  const name = longName ?? letter ?? '';
  for (const property of [name, `Script=${name}`]) {
    try {
      const isNegated = (sign === 'P') !== (caret === '^');
      return setOf(new RegExp(`^\\p{${property}}$`, 'u'), { isNegated, fold });
    } catch {}
  }
  throw cursor.error(`unknown property ${name}`, at);
}

interface PropertyPlace {
  readonly cursor: PatternCursor;
  readonly at: number;
  readonly fold: CaseFolding;
}

function setOf(
  character: RegExp,
  { isNegated, fold }: { readonly isNegated: boolean; readonly fold: CaseFolding },
): CharacterSet {
  const isIn = fold((codePoint) => character.test(String.fromCodePoint(codePoint)));
  return isNegated ? (codePoint) => !isIn(codePoint) : isIn;
}
