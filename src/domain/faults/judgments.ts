// Conditions of judgment sets.
import { JUDGMENT_BYTES_PER_PROJECT_MAX, JUDGMENT_SETS_PER_INDEX_MAX } from '../judgments/judgment-set.ts';
import { entry, type FaultEntry } from './entry.ts';

export const JUDGMENT_FAULTS = {
  'judgment-set-not-found': entry(
    404,
    'NOT_FOUND',
    'The index has no judgment set of this id.',
    'Judgment set {id} not found.',
  ),
  'judgment-sets-exhausted': entry(
    400,
    'INVALID_ARGUMENT',
    'The index has as many judgment sets as it may have.',
    `An index may have at most ${JUDGMENT_SETS_PER_INDEX_MAX} judgment sets.`,
  ),
  'judgment-bytes-exhausted': entry(
    403,
    'FORBIDDEN',
    'The judgment sets of the project take as many bytes as they may together.',
    `The judgment sets of a project may take at most ${JUDGMENT_BYTES_PER_PROJECT_MAX} bytes together. Delete sets or questions.`,
  ),
} as const satisfies Record<string, FaultEntry>;
