// How many edits a fuzzy word allows.
import type { Fuzziness } from './syntax-tree.ts';

/** Characters of a term from which one edit and two edits are allowed, if the query does not say. */
const ONE_EDIT_CHARS_MIN = 4;
const TWO_EDITS_CHARS_MIN = 8;

/** The edits that a fuzzy term allows: those the query names, else by the length of the term. */
export function editsOf(fuzziness: NonNullable<Fuzziness>, term: string): number {
  if (fuzziness !== 'byLength') return fuzziness;
  const length = [...term].length;
  return length < ONE_EDIT_CHARS_MIN ? 0 : length < TWO_EDITS_CHARS_MIN ? 1 : 2;
}
