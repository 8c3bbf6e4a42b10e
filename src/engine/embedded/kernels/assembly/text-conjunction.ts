// Text search where terms or phrases are required: the rarest required term leads, and the others gallop after it (Culpepper
// and Moffat, "Efficient set intersection for inverted indexing", 2010). Blocks and slots whose bound is too low are passed
// over, as in block-max indexes (Ding and Suel, "Faster top-k document retrieval using block-max indexes", 2011).
import {
  CLAUSE_BOUND_CURSOR,
  CLAUSE_BOUND_WEIGHT,
  CLAUSE_KIND,
  CLAUSE_MEMBERS,
  CLAUSE_MUST,
  CLAUSE_NOT,
  CLAUSE_OCCURRENCES,
  CURSOR_COUNT,
  CURSOR_MAX,
  TEXT_BLOCK_POSTINGS,
  TEXT_BOUND_SLACK,
  TEXT_CLAUSE_BYTES,
  TEXT_CURSOR_BYTES,
  TEXT_DONE,
  TEXT_FULL,
  TEXT_SEARCH_CLAUSE_COUNT,
  TEXT_SEARCH_CLAUSES,
  TEXT_SEARCH_CURSOR_COUNT,
  TEXT_SEARCH_CURSORS,
  TEXT_SEARCH_MATCHES,
  TEXT_SEARCH_POSITIONS_LEFT,
  TEXT_SEARCH_REQUIRED,
  TEXT_SEARCH_SLOT_COUNT,
  TEXT_TOO_MANY_POSITIONS,
} from '../text-lists-constants';
import {
  decodeNext,
  isExhausted,
  nextBound,
  passBlock,
  passTo,
  saturationAt,
  seek,
  slotAt,
} from './text-cursor';
import { isSelected, leastScore, makeSpace, occurrencesIn, scoreSlot } from './text-hits';
import { phraseCount } from './text-phrases';

/** What the leading cursor's saturation is multiplied by for the bound of a slot, and what is added to it at most. */
let leadWeight: f32 = 0;
let restMax: f32 = 0;

/** Goes on with a search; all cursors were opened, the first is the one that leads. @returns TEXT_DONE or another result */
export function searchConjunction(search: usize): i32 {
  const lead = <usize>load<u32>(search, TEXT_SEARCH_CURSORS);
  const slotCount = load<u32>(search, TEXT_SEARCH_SLOT_COUNT);
  weigh(search, lead);
  for (; !isExhausted(lead); passBlock(lead)) {
    if (!makeSpace(search, TEXT_BLOCK_POSTINGS)) return TEXT_FULL;
    if (load<i32>(search, TEXT_SEARCH_POSITIONS_LEFT) < 0) return TEXT_TOO_MANY_POSITIONS;
    if ((nextBound(lead) * leadWeight + restMax) * <f32>TEXT_BOUND_SLACK < leastScore(search)) continue;
    decodeNext(lead);
    searchBlock(search, lead);
    if (slotAt(lead, load<u32>(lead, CURSOR_COUNT) - 1) >= slotCount) break;
  }
  return load<i32>(search, TEXT_SEARCH_POSITIONS_LEFT) < 0 ? TEXT_TOO_MANY_POSITIONS : TEXT_DONE;
}

function searchBlock(search: usize, lead: usize): void {
  const count = load<u32>(lead, CURSOR_COUNT), slotCount = load<u32>(search, TEXT_SEARCH_SLOT_COUNT);
  const cursors = lead, others = load<u32>(search, TEXT_SEARCH_CURSOR_COUNT);
  const matches = <usize>load<u32>(search, TEXT_SEARCH_MATCHES);
  for (let at: u32 = 0; at < count; at++) {
    const slot = slotAt(lead, at);
    if (slot >= slotCount) return;
    if (matches == 0 && leastScore(search) > 0) {
      const own = saturationAt(lead, at) * leadWeight;
      if ((own + restMax) * <f32>TEXT_BOUND_SLACK < leastScore(search)) continue;
      if (others > 1 && (own + restBound(search, lead, slot)) * <f32>TEXT_BOUND_SLACK < leastScore(search)) continue;
    }
    if (!isSelected(search, slot) || !isMatch(search, cursors, slot)) continue;
    if (matches == 0) scoreSlot(search, cursors, slot);
    else {
      const word = matches + (<usize>(slot >>> 5) << 2);
      store<u32>(word, load<u32>(word) | (1 << (slot & 31)));
    }
  }
}

/** True when a slot has what is required, and nothing that is excluded. */
function isMatch(search: usize, cursors: usize, slot: u32): bool {
  // All terms first, the rarest before others: positions are read only where every term is.
  const requiredEnd = cursors + <usize>load<u32>(search, TEXT_SEARCH_REQUIRED) * TEXT_CURSOR_BYTES;
  for (let cursor = cursors; cursor < requiredEnd; cursor += TEXT_CURSOR_BYTES) {
    if (seek(cursor, slot) != slot) return false;
  }
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES);
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    const kind = load<u32>(clause, CLAUSE_KIND);
    if (kind == CLAUSE_NOT) {
      if (occurrencesIn(search, cursors, clause, slot) != 0) return false;
    } else if (kind == CLAUSE_MUST && load<u32>(clause, CLAUSE_MEMBERS) > 1) {
      const occurrences = phraseCount(search, cursors, clause);
      if (occurrences == 0) return false;
      store<u32>(clause, occurrences, CLAUSE_OCCURRENCES);
    }
  }
  return true;
}

/** Parts the bound of a score into what depends on the leading cursor and the rest. */
function weigh(search: usize, lead: usize): void {
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES);
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  leadWeight = 0;
  restMax = 0;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    if (load<u32>(clause, CLAUSE_KIND) == CLAUSE_NOT) continue;
    const cursor = boundCursor(lead, clause), weight = load<f32>(clause, CLAUSE_BOUND_WEIGHT);
    if (cursor == lead) leadWeight += weight;
    else restMax += weight * load<f32>(cursor, CURSOR_MAX);
  }
}

/** What all but the leading cursor add to the score of a slot at most, by the blocks that it may be in. */
function restBound(search: usize, lead: usize, slot: u32): f32 {
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES);
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  let bound: f32 = 0;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    if (load<u32>(clause, CLAUSE_KIND) == CLAUSE_NOT) continue;
    const cursor = boundCursor(lead, clause);
    if (cursor == lead) continue;
    passTo(cursor, slot);
    bound += load<f32>(clause, CLAUSE_BOUND_WEIGHT) * nextBound(cursor);
  }
  return bound;
}

@inline
function boundCursor(cursors: usize, clause: usize): usize {
  return cursors + <usize>load<u32>(clause, CLAUSE_BOUND_CURSOR) * TEXT_CURSOR_BYTES;
}
