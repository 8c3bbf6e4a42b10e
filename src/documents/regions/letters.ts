// Finds a passage in pieces of text by its letters alone: spaces, hyphens and marks differ between a file and its text.

/** Letters and digits of a text, and where each is from. */
export interface Letters {
  readonly text: string;
  /** For each UTF-16 unit of `text`, the position of its character in the source. */
  readonly places: readonly number[];
}

/** Positions in letters, the end excluded. */
export interface LetterSpan {
  readonly start: number;
  readonly end: number;
}

/** Fewer equal letters in a row are chance. */
const RUN_MIN = 12;
/** Letters before a passage that tell it from others. */
const BEFORE_MAX = 60;
const OTHER = /[^\p{L}\p{N}]/gu;

/** Decomposed and in lower case, so that ligatures and accents of fonts compare equal. */
export function lettersOf(source: string): Letters {
  let text = '';
  const places: number[] = [];
  let at = 0;
  for (const character of source) {
    const letters = character.normalize('NFKD').toLowerCase().replace(OTHER, '');
    text += letters;
    for (let unit = 0; unit < letters.length; unit++) places.push(at);
    at += character.length;
  }
  return { text, places };
}

/**
 * Where a passage is in a text: whole, or, where the text has other things between its parts or another order, in runs
 * of at least 12 letters. Time is the product of both lengths at worst.
 * @param before letters before the passage: of places that say the same, the one behind most of them is meant
 */
export function findLetters(passage: string, text: string, before: string): readonly LetterSpan[] {
  if (passage === '') return [];
  const start = wholeAt(passage, text, before.slice(-BEFORE_MAX));
  return start === null ? runsOf(passage, text) : [{ start, end: start + passage.length }];
}

function wholeAt(passage: string, text: string, before: string): number | null {
  let best: { readonly at: number; readonly shared: number } | null = null;
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + 1)) {
    const shared = sharedBefore(text, at, before);
    if (best === null || shared > best.shared) best = { at, shared };
  }
  return best?.at ?? null;
}

/** Letters that end `before` and stand before a position of the text. */
function sharedBefore(text: string, at: number, before: string): number {
  let shared = 0;
  while (shared < before.length && before.at(-1 - shared) === text[at - 1 - shared]) shared++;
  return shared;
}

/** Each run begins behind the one before, where the text has it there. */
function runsOf(passage: string, text: string): readonly LetterSpan[] {
  const spans: LetterSpan[] = [];
  let behind = 0;
  for (let at = 0; at + RUN_MIN <= passage.length; ) {
    const run = passage.slice(at, at + RUN_MIN);
    const later = text.indexOf(run, behind);
    const start = later === -1 ? text.indexOf(run) : later;
    if (start === -1) {
      at++;
      continue;
    }
    let length = RUN_MIN;
    while (at + length < passage.length && passage[at + length] === text[start + length]) length++;
    behind = start + length;
    spans.push({ start, end: behind });
    at += length;
  }
  return spans;
}
