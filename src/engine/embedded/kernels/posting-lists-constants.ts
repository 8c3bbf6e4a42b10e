// Constants of the layout of posting lists, shared as one text by the kernel's source (AssemblyScript) and TypeScript.

/** An entry of the forward index: slot u32, terms u32 with the flag below, indices, padding to 4 bytes, values f32. */
export const ENTRY_HEADER_BYTES = 8;
/** Set when indices are u16 instead of u32. */
export const ENTRY_NARROW = 0x80000000;
export const ENTRY_COUNT_MASK = 0xffff;
/** In place of a slot: no entry here or later in this frame. */
export const ENTRY_NONE = 0xffffffff;

/** Maximum records of a chunk: the sums of one chunk stay in the first-level cache of the processor. */
export const CHUNK_SLOTS_MAX = 4096;

/**
 * A frame of lists: this header (terms u32, bounds of short lists: low f32, step f32), ascending indices u32, the ends
 * u16 of the lists, then the lists.
 */
export const LIST_FRAME_HEADER_BYTES = 16;
export const LIST_FRAME_TERMS = 0;
export const LIST_FRAME_LOW = 4;
export const LIST_FRAME_STEP = 8;

/** A list of fewer postings has no bounds of its own, only postings. */
export const LONG_LIST_MIN = 16;
/** Before the postings of a longer one: low f32, step f32. */
export const LIST_HEADER_BYTES = 8;
/** Bytes of a posting: slot in the chunk u16, code u8; all slots come first. */
export const POSTING_BYTES = 3;
/**
 * A list of at least one in this many records is dense instead: a code for every slot, 0 for slots without a posting.
 */
export const DENSE_SHARE = 4;
/** Dense lists and sums are padded to a multiple of this many slots. */
export const DENSE_ALIGN_SLOTS = 16;
/** The highest code: a value is between low + step * (code - 1) and low + step * code. */
export const CODE_LAST = 255;

/** Bits of a sum below its bound, which count the lists that contain the slot. They exceed SPARSE_TERMS_MAX. */
export const SUM_COUNT_BITS = 12;
/** Bits of the sum of all bounds of a query's lists, in units. */
export const SUM_UNIT_BITS = 18;

/** A frame in the table of a chunk's frames: first index u32, address u32. */
export const FRAME_REFERENCE_BYTES = 8;

/**
 * A prepared query's block: count u32, hash multiplier u32, table shift u32, lists found u32, parameters (see
 * parameters.ts), then areas.
 */
export const POSTINGS_QUERY_COUNT = 0;
export const POSTINGS_QUERY_MULTIPLIER = 4;
export const POSTINGS_QUERY_SHIFT = 8;
export const POSTINGS_QUERY_FOUND = 12;
/** Positions u32 that passed the sieve, of one run of a record's terms. */
export const POSTINGS_QUERY_PASSED = 64;
export const RUN_TERMS = 256;
/**
 * Two sieves of a byte, 0 or 1, per 16-bit number: the index for narrow entries, the high half of a hash for others.
 */
export const POSTINGS_QUERY_NARROW_SIEVE = 1088;
export const POSTINGS_QUERY_WIDE_SIEVE = 66624;
export const SIEVE_BYTES = 65536;
/**
 * Terms: index u32, unused u32, value f64; then the lists found; then the group of dense lists; then the hash table.
 */
export const POSTINGS_QUERY_TERMS = 132160;
export const QUERY_TERM_BYTES = 16;
/** A list found: first posting u32, count u32 (0 for dense lists), low f32, step f32, the query's value f64. */
export const FOUND_LIST_BYTES = 32;
/** A dense list of the group that is added together: first code u32, weight u32 (unused in every second one). */
export const GROUPED_LIST_BYTES = 8;
/** A bucket of the table: index u32, used u32, value f64. */
export const QUERY_BUCKET_BYTES = 16;

/** A scored entry: slot u32, score f32. */
export const SCORED_BYTES = 8;
