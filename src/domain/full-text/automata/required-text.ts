// The longest text that a regular expression requires in a row: terms without it need no automaton.
import type { RegexNode } from './regex-syntax.ts';

interface Required {
  /** The only text that matches; null where there may be others. */
  readonly exact: string | null;
  /** In each text that matches; may be empty. */
  readonly longest: string;
}

const NOTHING: Required = { exact: null, longest: '' };

/** A text that each match of a pattern contains, the longest that its sequences of characters show; may be empty. */
export function requiredText(node: RegexNode): string {
  return requiredBy(node).longest;
}

function requiredBy(node: RegexNode): Required {
  switch (node.kind) {
    case 'empty':
      return exactly('');
    case 'set':
      return node.character === undefined ? NOTHING : exactly(node.character);
    case 'concatenation':
      return inSequence(node.parts.map(requiredBy));
    case 'alternation':
      return NOTHING;
    case 'repetition': {
      if (node.min === 0) return NOTHING;
      const part = requiredBy(node.part);
      return node.min === 1 && node.max === 1 ? part : { ...part, exact: null };
    }
  }
}

function exactly(text: string): Required {
  return { exact: text, longest: text };
}

function inSequence(parts: readonly Required[]): Required {
  let longest = '';
  let run = '';
  for (const { exact, longest: inPart } of parts) {
    run = exact === null ? '' : run + exact;
    for (const text of [inPart, run]) if (text.length > longest.length) longest = text;
  }
  return parts.every(({ exact }) => exact !== null) ? exactly(run) : { exact: null, longest };
}
