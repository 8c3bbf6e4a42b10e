// Random query strings of every construct, in our syntax and in tantivy's where they differ.
import { FIELDS, wordOf } from './generate-texts.ts';
import type { Choices } from './random.ts';

/** What may differ from tantivy by decision (docs/decisions/031-full-text-analysis.md). */
export type Exception = 'slopOfThree' | 'prefixOfThree';

export interface GeneratedQuery {
  readonly construct: string;
  readonly text: string;
  /** Where tantivy's syntax differs. */
  readonly forTantivy: { readonly text: string } | { readonly fuzzy: FuzzyTerm };
  readonly exceptions: readonly Exception[];
}

interface FuzzyTerm {
  readonly field: string;
  readonly term: string;
  readonly edits: number;
}

interface Part {
  readonly text: string;
  readonly tantivy: string;
  readonly exceptions: readonly Exception[];
}

const CONSTRUCTS: Readonly<Record<string, (choices: Choices) => Part>> = {
  words: (choices) => joined(choices, choices.whole(1, 4), () => same(wordOf(choices)), ['']),
  fields: (choices) =>
    joined(choices, choices.whole(1, 3), () => inField(choices, same(wordOf(choices))), ['']),
  groups: (choices) => group(choices, 2),
  operators: (choices) => operators(choices, 2),
  signs: (choices) => joined(choices, choices.whole(2, 5), () => atom(choices), ['', '+', '-']),
  phrases: (choices) => phrase(choices, choices.whole(2, 3), ''),
  slops: (choices) => slop(choices),
  prefixes: (choices) => prefix(choices),
  boosts: (choices) => joined(choices, choices.whole(1, 3), () => boosted(choices, atom(choices)), ['']),
  compounds: (choices) =>
    same(choices.times(choices.whole(2, 3), () => wordOf(choices)).join(choices.of(['-', '/', '.', '_']))),
  regexes: (choices) => regex(choices),
  all: (choices) =>
    same(choices.of(['*', `* ${wordOf(choices)}`, `+* -${wordOf(choices)}`, `${wordOf(choices)} OR *`])),
  escapes: (choices) =>
    same(`${wordOf(choices)}\\${choices.of([':', '(', '"', '^', '-', ' '])}${wordOf(choices)}`),
  emptyWords: (choices) =>
    same(
      choices.of([`${wordOf(choices)} !!!`, `+!!! ${wordOf(choices)}`, '!!!', `${wordOf(choices)} AND ...`]),
    ),
  unknownWords: (choices) =>
    joined(choices, choices.whole(2, 3), () => same(choices.of(['zzz', wordOf(choices)])), ['', '+', '-']),
  mixed: (choices) => mixed(choices, 3),
};

const REFUSED = [
  '(',
  ')',
  '"ab',
  'ab"',
  "'ab",
  '^2',
  'ab ^2',
  'ab^.5',
  'ab^2^3',
  'ab^-1',
  'AND ab',
  'ab AND',
  'ab OR',
  'OR',
  'NOT',
];
const REFUSED_TOO = [
  '-ab',
  'NOT ab',
  '(-ab)',
  '-ab -cart',
  'zz:ab',
  'title:',
  '- ab',
  '--ab',
  '"ab"*',
  '"ab cart"~',
  '()',
  '(ab',
  'ab)',
  'title:/[/',
  'title:/^ab/',
  'title:/a*?/',
  'title:/(?=a)b/',
  '\\',
  ':ab',
];

export const CONSTRUCT_NAMES: readonly string[] = [...Object.keys(CONSTRUCTS), 'fuzzy', 'refused'];

export function generateQuery(choices: Choices, construct: string): GeneratedQuery {
  if (construct === 'fuzzy') return fuzzy(choices);
  const make = CONSTRUCTS[construct];
  const { text, tantivy, exceptions } =
    make === undefined ? same(`${choices.of([...REFUSED, ...REFUSED_TOO])}`) : make(choices);
  return { construct, text, forTantivy: { text: tantivy }, exceptions };
}

function fuzzy(choices: Choices): GeneratedQuery {
  const field = choices.of(FIELDS);
  const edits = choices.whole(0, 2);
  const letters = [...wordOf(choices)];
  if (choices.isTrue(0.7))
    letters.splice(choices.whole(0, letters.length), choices.whole(0, 1), choices.of(['a', 'r', 'é']));
  const term = letters.join('') || 'ab';
  return {
    construct: 'fuzzy',
    text: `${field}:${term}~${edits}`,
    forTantivy: { fuzzy: { field, term, edits } },
    exceptions: [],
  };
}

function same(text: string): Part {
  return { text, tantivy: text, exceptions: [] };
}

function mapped(part: Part, change: (text: string) => string): Part {
  return { ...part, text: change(part.text), tantivy: change(part.tantivy) };
}

function merged(parts: readonly Part[], join: (texts: readonly string[]) => string): Part {
  return {
    text: join(parts.map(({ text }) => text)),
    tantivy: join(parts.map(({ tantivy }) => tantivy)),
    exceptions: parts.flatMap(({ exceptions }) => exceptions),
  };
}

function joined(choices: Choices, count: number, make: () => Part, signs: readonly string[]): Part {
  const parts = choices.times(count, () => {
    const sign = choices.of(signs);
    return mapped(make(), (text) => sign + text);
  });
  return merged(parts, (texts) => texts.join(' '));
}

function inField(choices: Choices, part: Part): Part {
  const field = choices.of(FIELDS);
  return mapped(part, (text) => `${field}:${text}`);
}

function atom(choices: Choices): Part {
  const part = choices.isTrue(0.8) ? same(wordOf(choices)) : phrase(choices, 2, '');
  return choices.isTrue(0.3) ? inField(choices, part) : part;
}

/** Equal phrases have equal quotes, since tantivy takes a phrase in other quotes for another one. */
function phrase(choices: Choices, words: number, suffix: string): Part {
  const text = choices.times(words, () => wordOf(choices)).join(' ');
  const quote = text.length % 8 === 0 ? "'" : '"';
  return same(quote + text + quote + suffix);
}

function slop(choices: Choices): Part {
  const words = choices.whole(2, 3);
  const part = phrase(choices, words, `~${choices.whole(0, 4)}`);
  return words === 2 || part.text.endsWith('~0') ? part : { ...part, exceptions: ['slopOfThree'] };
}

function prefix(choices: Choices): Part {
  const words = choices.whole(1, 2);
  const start = wordOf(choices).slice(0, choices.whole(1, 3));
  const part = same(`"${choices.times(words, () => wordOf(choices)).join(' ')} ${start}"*`);
  return words === 1 ? part : { ...part, exceptions: ['prefixOfThree'] };
}

function boosted(choices: Choices, part: Part): Part {
  const boost = choices.of(['^2', '^0.5', '^0', '^10.25', '']);
  return mapped(part, (text) => text + boost);
}

function group(choices: Choices, depth: number): Part {
  if (depth === 0) return atom(choices);
  const part = mapped(
    joined(choices, choices.whole(1, 3), () => group(choices, depth - 1), ['']),
    (text) => `(${text})`,
  );
  return choices.isTrue(0.3) ? inField(choices, part) : part;
}

/**
 * Operands with AND, OR, NOT or nothing between them. To tantivy, an operand of AND that begins with NOT matches nothing; it
 * gets a minus there.
 */
function operators(choices: Choices, depth: number): Part {
  const joints = ['', ...choices.times(choices.whole(1, 3), () => choices.of(['AND ', 'OR ', '']))];
  const operands = joints.map((joint, at) => {
    const part = operand(choices, depth);
    const isOfAnd = joint === 'AND ' || joints[at + 1] === 'AND ';
    if (at === 0 || choices.isTrue(0.6)) return mapped(part, (text) => joint + text);
    return {
      ...part,
      text: `${joint}NOT ${part.text}`,
      tantivy: joint + (isOfAnd ? '-' : 'NOT ') + part.tantivy,
    };
  });
  return merged(operands, (texts) => texts.join(' '));
}

function operand(choices: Choices, depth: number): Part {
  if (depth === 0 || choices.isTrue(0.7)) return atom(choices);
  return mapped(operators(choices, depth - 1), (text) => `(${text})`);
}

function regex(choices: Choices): Part {
  const word = wordOf(choices);
  const start = word.slice(0, choices.whole(1, 3));
  const pattern = choices.of([
    `${start}.*`,
    `.*${word.slice(-2)}`,
    `${start}(s|er|ing)?`,
    `[a-c]+.{0,3}`,
    `(?:${word}|${wordOf(choices)})`,
    `[^a-m].*`,
    `[a-z]{2,4}`,
    `${start}\\p{L}+e`,
    `.*\\d`,
    `(?i)${word.toUpperCase().replaceAll('ẞ', 'ß')}`,
    '[[:alpha:]]+',
  ]);
  return same(`${choices.of(FIELDS)}:/${pattern}/`);
}

function mixed(choices: Choices, depth: number): Part {
  const kinds = [
    'words',
    'fields',
    'signs',
    'operators',
    'phrases',
    'boosts',
    'compounds',
    'regexes',
  ] as const;
  const parts = choices.times(choices.whole(1, 3), () => {
    const part = CONSTRUCTS[choices.of(kinds)]?.(choices) ?? same('ab');
    return depth > 0 && choices.isTrue(0.5) ? mapped(part, (text) => `(${text})`) : part;
  });
  const separator = choices.of([' ', ' OR ']);
  return merged(parts, (texts) => texts.join(separator));
}
