// Slots in which all required terms were found: their phrases and exclusions are checked, and what is left is scored exactly.
import {
  CLAUSE_FACTOR,
  CLAUSE_FIRST,
  CLAUSE_BOUND_WEIGHT,
  CLAUSE_KIND,
  CLAUSE_MEMBERS,
  CLAUSE_MUST,
  CLAUSE_NOT,
  CLAUSE_OCCURRENCES,
  CLAUSE_WEIGHT,
  TEXT_CLAUSE_BYTES,
  TEXT_SEARCH_CLAUSE_COUNT,
  TEXT_SEARCH_CLAUSES,
  TEXT_SEARCH_SCORED,
} from '../text-lists-constants';
import { slotAt } from './text-cursor';
import { foundCount } from './text-found';
import { occurrencesIn, offer } from './text-hits';
import { foundPhraseCount, memberCursor } from './text-phrases';
import { exactSaturation, normAt, saturationBy } from './text-saturation';

/** What required clauses add to the score of a row at most: a phrase occurs as often as the rarest of its terms there. */
export function phraseBound(search: usize, lead: usize, row: u32): f32 {
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES), bound: f32 = 0;
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    if (load<u32>(clause, CLAUSE_KIND) != CLAUSE_MUST) continue;
    const first = load<u32>(clause, CLAUSE_FIRST), members = load<u32>(clause, CLAUSE_MEMBERS);
    let least = u32.MAX_VALUE;
    for (let member = first; member < first + members; member++) {
      least = min(least, foundCount(memberCursor(search, lead, member), row));
    }
    const norm = normAt(memberCursor(search, lead, first), slotAt(lead, row));
    bound += saturationBy(<f32>least, norm) * load<f32>(clause, CLAUSE_BOUND_WEIGHT);
  }
  return bound;
}

/** True when a row has all required phrases, whose occurrences are noted in their clauses, and nothing that is excluded. */
export function isConfirmed(search: usize, lead: usize, row: u32): bool {
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES);
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    const kind = load<u32>(clause, CLAUSE_KIND);
    if (kind == CLAUSE_NOT) {
      if (occurrencesIn(search, lead, clause, slotAt(lead, row)) != 0) return false;
    } else if (kind == CLAUSE_MUST && load<u32>(clause, CLAUSE_MEMBERS) > 1) {
      const occurrences = foundPhraseCount(search, lead, clause, row);
      if (occurrences == 0) return false;
      store<u32>(clause, occurrences, CLAUSE_OCCURRENCES);
    }
  }
  return true;
}

/** Scores a confirmed row by all clauses, in their order, and keeps its slot if it may be among the best. */
export function scoreRow(search: usize, lead: usize, row: u32): void {
  const slot = slotAt(lead, row);
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES), sum: f64 = 0;
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    const kind = load<u32>(clause, CLAUSE_KIND);
    if (kind == CLAUSE_NOT) continue;
    const cursor = memberCursor(search, lead, load<u32>(clause, CLAUSE_FIRST));
    let occurrences: u32;
    if (kind != CLAUSE_MUST) occurrences = occurrencesIn(search, lead, clause, slot);
    else if (load<u32>(clause, CLAUSE_MEMBERS) > 1) occurrences = load<u32>(clause, CLAUSE_OCCURRENCES);
    else occurrences = foundCount(cursor, row);
    if (occurrences == 0) continue;
    const score = load<f64>(clause, CLAUSE_WEIGHT) * exactSaturation(cursor, occurrences, slot);
    sum += load<f64>(clause, CLAUSE_FACTOR) * score;
  }
  store<u32>(search, load<u32>(search, TEXT_SEARCH_SCORED) + 1, TEXT_SEARCH_SCORED);
  offer(search, slot, <f32>sum);
}
