// Who does what to whom in a clause with two names, so that "A acquired B" and "B acquired A" are told apart.
import { STOP_WORDS, stemOf } from '../content-words.ts';
import { conceptOf } from './concepts.ts';

export interface Roles {
  /** The two names: the one that acts, or is more, comes first. */
  readonly agent: string;
  readonly patient: string;
  /** What happens, as the name of a concept or a stem. */
  readonly action: string;
}

/** What two do with each other, whichever is named first. */
const MUTUAL =
  /^(?:marr|met|meet|join|border|equal|match|tied|tie|drew|merge|neighbo|differ|connect|link|play|fought|betwee)/;
const BE = new Set('is are was were been being be got gets'.split(' '));

/** Decides what the order of the words around a verb or a comparison says; `open` where it says nothing. */
export type ClauseForm = 'active' | 'passive' | 'comparison' | 'open';

export function formOf(tokens: readonly string[]): ClauseForm {
  const small = tokens.map((token) => token.toLowerCase());
  if (small.includes('than')) return 'comparison';
  if (!small.some((word) => BE.has(word))) return 'active';
  return small.includes('by') ? 'passive' : 'open';
}

interface Ordered {
  /** Stems in the order of the clause. */
  readonly words: ReadonlySet<string>;
  readonly form: ClauseForm;
}

/** Longer clauses with exactly the same words are too rare to look for. */
const ORDERED_WORDS_MAX = 16;

/**
 * Compares two clauses of the same words, also without names: "owls hunt mice", "mice hunt owls". False where
 * the words or their order do not decide.
 */
export function isTurned(one: Ordered, other: Ordered): boolean {
  const { size } = one.words;
  if (size < 3 || size > ORDERED_WORDS_MAX || one.words.symmetricDifference(other.words).size > 0)
    return false;
  if (one.form === 'open' || other.form === 'open') return false;
  if ((one.form === 'comparison') !== (other.form === 'comparison')) return false;
  const [words, others] = [[...one.words], [...other.words].join(' ')];
  const isInOrder = words.join(' ') === others;
  const isSwapped = words.some(
    (verb, at) =>
      at > 0 &&
      at < size - 1 &&
      !MUTUAL.test(verb) &&
      [...words.slice(at + 1), verb, ...words.slice(0, at)].join(' ') === others,
  );
  if (isInOrder === isSwapped) return false;
  return isInOrder !== (one.form === other.form);
}

/** Undefined order - fewer or more than two names, or nothing between them - gives null. */
export function rolesIn(tokens: readonly string[], names: ReadonlySet<string>): Roles | null {
  const small = tokens.map((token) => token.toLowerCase());
  const places = small.flatMap((word, at) =>
    names.has(stemOf(word)) && /^\p{Lu}/u.test(tokens[at] ?? '') ? [at] : [],
  );
  const groups = grouped(places);
  const [first, second] = groups;
  if (groups.length !== 2 || first === undefined || second === undefined) return null;
  const between = small.slice(first.end + 1, second.start);
  const words = between.filter((word) => !STOP_WORDS.has(word) && !BE.has(word));
  const [verb] = words;
  if (verb === undefined || MUTUAL.test(verb)) return null;
  const isPassive = between.some((word) => BE.has(word)) && between.at(-1) === 'by';
  const concept = conceptOf(verb);
  const isTurned = isPassive !== (concept?.sign === -1);
  const one = stemOf(small[first.end] ?? '');
  const other = stemOf(small[second.end] ?? '');
  return {
    agent: isTurned ? other : one,
    patient: isTurned ? one : other,
    action: concept?.name ?? stemOf(verb),
  };
}

/** Names side by side are one: "New York". */
function grouped(places: readonly number[]): readonly { readonly start: number; readonly end: number }[] {
  const groups: { start: number; end: number }[] = [];
  for (const place of places) {
    const last = groups.at(-1);
    if (last !== undefined && place === last.end + 1) last.end = place;
    else groups.push({ start: place, end: place });
  }
  return groups;
}
