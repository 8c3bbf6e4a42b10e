// Bitmaps of frequent terms: which slots have a term, and which have it more than once, without a look at its list.
import { CURSOR_PAGE_COUNT, CURSOR_PAGES, TEXT_PAGE_SHIFT } from '../text-lists-constants';

/** Address of the page of a cursor's bitmap that has a slot; 0 where there is none. */
@inline
export function pageOf(cursor: usize, slot: u32): usize {
  const page = slot >>> TEXT_PAGE_SHIFT;
  if (page >= load<u32>(cursor, CURSOR_PAGE_COUNT)) return 0;
  return <usize>load<u32>(<usize>load<u32>(cursor, CURSOR_PAGES) + (<usize>page << 2));
}

/** True when a slot of a page has the term. */
@inline
export function hasTerm(page: usize, slot: u32): bool {
  return ((load<u64>(pairOf(page, slot)) >>> (slot & 63)) & 1) != 0;
}

/** True when a slot of a page has the term more than once. */
@inline
export function isRepeated(page: usize, slot: u32): bool {
  return ((load<u64>(pairOf(page, slot), 8) >>> (slot & 63)) & 1) != 0;
}

@inline
function pairOf(page: usize, slot: u32): usize {
  return page + (<usize>((slot & ((1 << TEXT_PAGE_SHIFT) - 1)) >>> 6) << 4);
}
