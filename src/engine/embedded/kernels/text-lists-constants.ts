// Constants of the layout of the posting lists of texts, and of the block of a search, shared as one text by the kernel's
// source (AssemblyScript) and TypeScript.

/** Postings of a sealed block at most. */
export const TEXT_BLOCK_POSTINGS = 128;
/**
 * A sealed block: form of the slots u8, bits of an occurrence count - 1 u8, postings u8, 1 when every position takes one byte
 * u8; then the slots, and the counts, packed; then the positions as varints. The form of slots is the bits of a difference,
 * of which 128 are packed; or it is TEXT_BLOCK_BIT_SET and the u64 words of a set of bits, the first of which is the last slot
 * of the block before. Slots that lie so close together are looked up without decoding any.
 */
export const TEXT_BLOCK_HEADER_BYTES = 4;
export const TEXT_BLOCK_FORM = 0;
export const TEXT_BLOCK_COUNT_BITS = 1;
export const TEXT_BLOCK_COUNT = 2;
export const TEXT_BLOCK_BYTE_POSITIONS = 3;
export const TEXT_BLOCK_BIT_SET = 64;
/** Bits of a set at most. */
export const TEXT_BIT_SET_MAX = 2048;
/** Bytes of 128 packed numbers, for each of their bits. */
export const TEXT_PACKED_BYTES_A_BIT = 16;

/**
 * The head of a list: blocks u32 with the size class of the head above TEXT_BLOCKS_MASK, last slot in a block u32, tail
 * u32 (bytes << TEXT_TAIL_BYTES_SHIFT | postings), last slot u32. When there are blocks, a summary as in an entry of the
 * directory and the references u32 of the extents of the directory follow; then the tail.
 */
export const TEXT_HEAD_BYTES = 16;
export const TEXT_HEAD_BLOCKS = 0;
export const TEXT_HEAD_BLOCKS_LAST = 4;
export const TEXT_HEAD_TAIL = 8;
export const TEXT_HEAD_LAST = 12;
export const TEXT_HEAD_SUMMARY = 16;
export const TEXT_HEAD_EXTENTS = 24;
export const TEXT_BLOCKS_MASK = 0xffffff;
export const TEXT_BLOCKS_BITS = 24;
export const TEXT_TAIL_BYTES_SHIFT = 8;
export const TEXT_TAIL_COUNT_MASK = 0xff;

/**
 * An entry of the directory of blocks: last slot u32, reference u32, then a summary: the highest density of a posting, which
 * is its occurrences / (0.3 + 0.9 * length / average), f32, and the average length that it was computed with, f32. Where the
 * average has grown since, densities have grown at most as much.
 */
export const TEXT_ENTRY_BYTES = 16;
export const TEXT_ENTRY_SHIFT = 4;
export const TEXT_ENTRY_LAST = 0;
export const TEXT_ENTRY_BLOCK = 4;
export const TEXT_ENTRY_SUMMARY = 8;
/** Entries of an extent of the directory: a frame. */
export const TEXT_EXTENT_SHIFT = 12;

/**
 * A page of a term's bitmap, for so many slots: for each 64 of them, a u64 of those that have the term, and one of those that
 * have it more than once. Where a term has no page, its list alone tells.
 */
export const TEXT_PAGE_SHIFT = 14;

/** Lengths of a field lie in blocks of so many slots, as u16 codes. */
export const TEXT_LENGTHS_SHIFT = 11;
/** Codes below are lengths; above, lengths in steps. */
export const TEXT_LENGTH_EXACT_MAX = 49152;
export const TEXT_LENGTH_STEP_SHIFT = 4;

/** No slot. */
export const TEXT_NO_SLOT = 0xffffffff;

/** A cursor on a list. The caller sets its reference, table of lengths and statistics f64. */
export const TEXT_CURSOR_BYTES = 2880;
export const CURSOR_LIST = 0;
export const CURSOR_LENGTHS = 4;
export const CURSOR_RECORDS = 8;
export const CURSOR_TOKENS = 16;
/** Of the length in a saturation, and the average length, f32. */
export const CURSOR_SLOPE = 24;
/** The highest saturation of the list, and of its tail, f32. */
export const CURSOR_MAX = 28;
export const CURSOR_TAIL_MAX = 32;
export const CURSOR_HEAD = 36;
export const CURSOR_BLOCKS = 40;
export const CURSOR_TAIL_COUNT = 44;
export const CURSOR_TAIL_LAST = 48;
/** The block that the next slot may be in: `blocks` is the tail, one more none; and its last slot. */
export const CURSOR_NEXT = 52;
export const CURSOR_NEXT_LAST = 56;
/** The block that is decoded; or the block whose bit set is looked at instead, and its first bit's slot. */
export const CURSOR_BLOCK = 60;
export const CURSOR_BIT_SET_BLOCK = 120;
export const CURSOR_BIT_SET_FROM = 124;
export const CURSOR_COUNT = 64;
export const CURSOR_AT = 68;
export const CURSOR_DATA = 72;
/** The block whose saturation is known, and that, f32. */
export const CURSOR_BOUND_BLOCK = 76;
export const CURSOR_BOUND = 80;
export const CURSOR_EXTENT = 84;
/** The first posting of the decoded block that is still to be visited. */
export const CURSOR_FROM = 88;
/** Weight f32, and bound in a window, or in a block of the leading cursor, f32. */
export const CURSOR_WEIGHT = 92;
export const CURSOR_WINDOW_BOUND = 96;
/** Of a phrase that is being checked: address of the next position, how many are left with the present one, and that. */
export const CURSOR_POSITION_AT = 100;
export const CURSOR_POSITIONS_LEFT = 104;
export const CURSOR_POSITION = 108;
export const CURSOR_AVERAGE = 112;
/** Of a required term: what the terms that are looked up after it add to a score at most, f32. */
export const CURSOR_REST = 116;
/** The block whose saturations are known. */
export const CURSOR_SATURATED = 128;
/**
 * Of a required term, the posting whose positions were looked at last: address u32 of the sealed block, number in it, address of
 * its positions, how many positions come before them, and the sum of the packed counts before those of its four. Later
 * postings of the block are found from there.
 */
export const CURSOR_WALKED_BLOCK = 132;
export const CURSOR_WALKED_AT = 136;
export const CURSOR_WALKED_POSITIONS = 140;
export const CURSOR_WALKED_COUNT = 144;
export const CURSOR_WALKED_SUM = 148;
/** The table of the pages of a required term's bitmap, its length, and whether pages told all rows of a leading block. */
export const CURSOR_PAGES = 152;
export const CURSOR_PAGE_COUNT = 156;
export const CURSOR_IS_SIEVED = 160;
export const CURSOR_SLOTS = 192;
export const CURSOR_COUNTS = 704;
export const CURSOR_POSITIONS = 1216;
/**
 * Of a required term, what it has in the slots of the leading cursor's block, by their numbers there: occurrences u32; address
 * u32 of the sealed block, and number u8 of the posting in it; or TEXT_FOUND_IN_TAIL, and the address is that of the positions.
 */
export const CURSOR_FOUND_COUNTS = 1728;
export const CURSOR_FOUND_DATA = 2240;
export const CURSOR_FOUND_AT = 2752;
export const TEXT_FOUND_IN_TAIL = 255;
/** In a union: the saturations f32 of the decoded block. */
export const CURSOR_SATURATIONS = 1728;

/**
 * A clause: kind, first member, members (more than 1: a phrase), bounding cursor, bound weight f32, occurrences in the slot
 * that is being checked, weight and factor f64.
 */
export const TEXT_CLAUSE_BYTES = 40;
export const CLAUSE_KIND = 0;
export const CLAUSE_FIRST = 4;
export const CLAUSE_MEMBERS = 8;
export const CLAUSE_BOUND_CURSOR = 12;
export const CLAUSE_BOUND_WEIGHT = 16;
export const CLAUSE_OCCURRENCES = 20;
export const CLAUSE_WEIGHT = 24;
export const CLAUSE_FACTOR = 32;
export const CLAUSE_MUST = 0;
export const CLAUSE_SHOULD = 1;
export const CLAUSE_NOT = 2;

/** A member of a clause: cursor u32, offset in the phrase i32. */
export const TEXT_MEMBER_BYTES = 8;

/** A found slot: u32, and its score f32. */
export const TEXT_HIT_BYTES = 8;

/** The block of a search. Addresses, but where noted. */
export const TEXT_SEARCH_BYTES = 108;
export const TEXT_SEARCH_CURSORS = 0;
export const TEXT_SEARCH_CURSOR_COUNT = 4;
export const TEXT_SEARCH_CLAUSES = 8;
export const TEXT_SEARCH_CLAUSE_COUNT = 12;
export const TEXT_SEARCH_MEMBERS = 16;
export const TEXT_SEARCH_BLOCK_FRAMES = 20;
export const TEXT_SEARCH_HEAD_FRAMES = 24;
export const TEXT_SEARCH_SLOT_COUNT = 28;
export const TEXT_SEARCH_BITMAP = 32;
export const TEXT_SEARCH_HITS = 36;
export const TEXT_SEARCH_HIT_COUNT = 40;
/** Scores to keep, 0 for all of TEXT_SEARCH_LEAST or more, and how many are kept, in a min-heap of f32. */
export const TEXT_SEARCH_CAPACITY = 44;
export const TEXT_SEARCH_HEAP = 48;
export const TEXT_SEARCH_HEAP_COUNT = 52;
/** f32; no lower score matters. */
export const TEXT_SEARCH_LEAST = 56;
/** Slots scored exactly. */
export const TEXT_SEARCH_SCORED = 60;
/** Positions that may still be compared, i32. */
export const TEXT_SEARCH_POSITIONS_LEFT = 64;
/** Where the search goes on: a slot or a block. */
export const TEXT_SEARCH_NEXT = 68;
/** Sums f32 of a window, and bytes of its groups; or what a conjunction knows of the leading cursor's block; and orders of cursors u32. */
export const TEXT_SEARCH_SUMS = 72;
export const TEXT_SEARCH_ORDER = 76;
/** Tables of the blocks of slots and of ids, for ties. */
export const TEXT_SEARCH_SLOT_BLOCKS = 88;
export const TEXT_SEARCH_ID_BLOCKS = 92;
/** Cursors that look single slots up. */
export const TEXT_SEARCH_LOOKUPS = 96;
/** Cursors of required terms: they come first, by rarity. */
export const TEXT_SEARCH_REQUIRED = 84;
/** A bitmap to set the matching slots in instead of scoring them; or 0. */
export const TEXT_SEARCH_MATCHES = 80;
/** 1 where all matching slots are counted, those with too low a score too; and how many there are so far. */
export const TEXT_SEARCH_COUNTS = 100;
export const TEXT_SEARCH_MATCHED = 104;

/** Sums and bounds in f32 allow for their rounding, over hundreds of terms. */
export const TEXT_BOUND_SLACK = 1.0001;

/**
 * What a conjunction knows of the postings of the leading cursor's block: bounds f32 of their scores by the terms so far, the
 * lengths' part f32 of saturations, and the numbers u32 of those that may still be among the best.
 */
export const TEXT_BLOCK_SUMS = 0;
export const TEXT_BLOCK_NORMS = 512;
export const TEXT_BLOCK_ROWS = 1024;
/** Behind them: positions i32 of a phrase that is being checked, and how many there may be. */
export const TEXT_BLOCK_PHRASE = 2048;
export const TEXT_PHRASE_POSITIONS = 1024;
/** Instead of how many positions are left: they were not looked at yet. */
export const TEXT_UNREAD = 0xffffffff;

/** Slots of a window of a union; of a group of these, a byte behind the sums tells whether one has a sum. */
export const TEXT_WINDOW_SLOTS = 4096;
export const TEXT_GROUP_SHIFT = 4;
/** Hits that a search can hold: those of a window after what was kept. */
export const TEXT_HITS_MAX = 12288;
/** Blocks of slots, whose second word is the offset of the id, and blocks of ids: see segments/structure.ts, id-list.ts. */
export const TEXT_SLOT_BLOCK_SHIFT = 9;
export const TEXT_SLOT_WORDS_SHIFT = 3;
export const TEXT_ID_BLOCK_SHIFT = 12;
export const TEXT_NO_ID = 0xffffffff;

/** Results of a call: nothing is left; hits must be taken first; too many positions. */
export const TEXT_DONE = 0;
export const TEXT_FULL = 1;
export const TEXT_TOO_MANY_POSITIONS = 2;
