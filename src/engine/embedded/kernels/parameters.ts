// Byte offsets of the parameter blocks of kernel calls, shared as one text by the kernel's source (AssemblyScript) and
// TypeScript. A caller writes a block by `parameter-block.ts`; fields are u32 unless said otherwise.

/** `searchGraph`: the block lies in the scratch, at SEARCH_PARAMETERS. */
export const SEARCH_BLOCK_QUERY = 0;
export const SEARCH_BLOCK_BITMAP = 4;
export const SEARCH_BLOCK_SLOT_LIMIT = 8;
export const SEARCH_BLOCK_BEAM_CAPACITY = 12;
export const SEARCH_BLOCK_EF = 16;
export const SEARCH_BLOCK_TIES = 20;
export const SEARCH_BLOCK_CANDIDATES = 24;
/** Early termination; 0 stable results for none. */
export const SEARCH_BLOCK_STABLE_RESULTS = 28;
export const SEARCH_BLOCK_PATIENCE = 32;
/** The same at a local selectivity of 0. */
export const SEARCH_BLOCK_STABLE_AT_NONE = 36;
export const SEARCH_BLOCK_PATIENCE_AT_NONE = 40;
/** Nodes that estimate the local selectivity; 0 to pass through all non-matching nodes. */
export const SEARCH_BLOCK_LOCAL_NODES = 44;
/** f32. */
export const SEARCH_BLOCK_SELECTIVITY = 48;
export const SEARCH_BLOCK_ABANDON_BELOW = 52;
export const SEARCH_BLOCK_PASS_THROUGH_MIN = 56;
export const SEARCH_BLOCK_EXPANSION_MAX = 60;
/** The preliminary search; depth 0 for none. */
export const SEARCH_BLOCK_PRELIMINARY_MIN = 64;
export const SEARCH_BLOCK_PRELIMINARY_DEPTH = 68;
export const SEARCH_BLOCK_PRELIMINARY_RANK = 72;
export const SEARCH_BLOCK_CROWD_MIN = 76;
/** 1 or 0. */
export const SEARCH_BLOCK_ABANDONS_CROWDED = 80;
/** f32: the square of 1 + slack; 0 for none. */
export const SEARCH_BLOCK_SLACK_FACTOR = 84;
export const SEARCH_BLOCK_SLACK_RANK = 88;
export const SEARCH_BLOCK_SLACK_EF = 92;
/** Clusters to probe for entry points, and how many of these to enter at; 0 for the usual number. */
export const SEARCH_BLOCK_PROBES = 96;

/** `scanGraph`: the block lies in the scratch, at SEARCH_PARAMETERS. */
export const GRAPH_SCAN_QUERY = 0;
export const GRAPH_SCAN_BITMAP = 4;
export const GRAPH_SCAN_SLOT_LIMIT = 8;
export const GRAPH_SCAN_SPARSE_SCORES = 12;
export const GRAPH_SCAN_HEAP = 16;

/** `consolidateDeletes`: the block lies in the scratch, at SEARCH_PARAMETERS. */
export const CONSOLIDATION_LIVE = 0;
export const CONSOLIDATION_FROM = 4;
export const CONSOLIDATION_UNTIL = 8;
export const CONSOLIDATION_SLOT_LIMIT = 12;
export const CONSOLIDATION_EF_CONSTRUCTION = 16;
export const CONSOLIDATION_BEAM_CAPACITY = 20;

/** `scanFrame`: offsets in the header of the dense query's block. */
export const FRAME_SCAN_BITMAP = 80;
export const FRAME_SCAN_SPARSE_SCORES = 84;
export const FRAME_SCAN_HEAP = 88;

/** `offerCandidates`: offsets in the header of the sparse query's block. */
export const OFFER_SUMS = 16;
export const OFFER_SLOT_COUNT = 20;
export const OFFER_FIRST_SLOT = 24;
export const OFFER_BITMAP = 28;
/** i32. */
export const OFFER_LEAST = 32;
export const OFFER_OUT = 36;
export const OFFER_HEAP = 40;
/** f64. */
export const OFFER_UNIT = 48;
