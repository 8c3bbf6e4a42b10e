// Texts of a small vocabulary in which words share beginnings and differ in one or two characters.
import type { Choices } from './random.ts';

export const FIELDS = ['title', 'body'] as const;

export interface GeneratedText {
  readonly id: string;
  readonly title?: string;
  readonly body?: string;
}

const ROOTS = [
  'ab',
  'ba',
  'cart',
  'card',
  'care',
  'éclair',
  'straße',
  'москва',
  'x1',
  'search',
  'quick',
  'brown',
];
const ENDINGS = ['', 's', 'er', 'ing', 'e'];
/** Words in falling order of frequency. */
export const VOCABULARY: readonly string[] = ENDINGS.flatMap((ending) => ROOTS.map((root) => root + ending));
const SEPARATORS = [' ', ' ', ' ', ', ', '-', '. ', '\n', ' — '];
/** Up to this length tantivy keeps the length of a field exactly. */
export const EXACT_LENGTH_MAX = 40;
const LONG_MAX = 120;

export function generateTexts(choices: Choices, count: number): readonly GeneratedText[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `text-${String(at).padStart(5, '0')}`;
    const body = textOf(choices, choices.isTrue(0.05) ? LONG_MAX : EXACT_LENGTH_MAX);
    return choices.isTrue(0.9) ? { id, title: textOf(choices, 6), body } : { id, body };
  });
}

/** A word; the first ones of the vocabulary are met more often. */
export function wordOf(choices: Choices): string {
  const word = VOCABULARY[Math.floor(VOCABULARY.length * choices.next() ** 2)];
  return word ?? 'ab';
}

function textOf(choices: Choices, tokensMax: number): string {
  const words = choices.times(choices.whole(1, tokensMax), () => {
    const word = wordOf(choices);
    return choices.isTrue(0.1) ? word.toUpperCase().replaceAll('ẞ', 'SS') : word;
  });
  return words.map((word) => word + choices.of(SEPARATORS)).join('');
}
