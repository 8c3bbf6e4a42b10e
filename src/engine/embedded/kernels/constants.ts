// Numbers of the memory layout, shared as one text by the kernel's source (AssemblyScript) and TypeScript.

/** Bytes of a frame: the unit in which codes and sparse entries are kept and scanned. */
export const FRAME_BYTES = 65536;

/** Bytes of a row's meta: scale f32, codeSum i32, normSquared f32, residualNorm f32, row u32. */
export const META_BYTES = 20;
export const META_SCALE = 0;
export const META_CODE_SUM = 4;
export const META_NORM_SQUARED = 8;
export const META_RESIDUAL_NORM = 12;
export const META_ROW = 16;

/** Code rows are padded with zeros to a multiple of this many bytes. */
export const CODE_ALIGN_BYTES = 16;
/** Codes lie in -127..127. */
export const CODE_MAX = 127;

export const METRIC_DOT_PRODUCT = 0;
export const METRIC_COSINE = 1;
export const METRIC_EUCLIDEAN = 2;

/** Largest absolute component of a row or query that codes describe; others are always rescored. */
export const MAGNITUDE_CODED_MAX = 1125899906842624; // 2^50
/** Smallest non-zero one. Between the two, no 32-bit step of the bound can overflow or vanish. */
export const MAGNITUDE_CODED_MIN = 9.094947017729282e-13; // 2^-40

/** A dense query's block: this header, then 2 bytes a code (padded), then the floats (padded). */
export const QUERY_HEADER_BYTES = 96;

/** A heap: this header (capacity u32, count u32, offered u32, threshold f32), then the entries. */
export const HEAP_HEADER_BYTES = 16;
export const HEAP_CAPACITY = 0;
export const HEAP_COUNT = 4;
export const HEAP_OFFERED = 8;
export const HEAP_THRESHOLD = 12;
/** Bytes of an entry: key f32, slot u32. */
export const HEAP_ENTRY_BYTES = 8;

/** Bytes before the indices of an entry of a sparse frame: slot u32, n u32. */
export const SPARSE_ENTRY_HEADER_BYTES = 8;
/** Most terms of a sparse query. */
export const SPARSE_TERMS_MAX = 2048;

/** A proximity graph's header: what threads share about it, 64-byte aligned. */
export const GRAPH_BYTES = 192;
export const GRAPH_METRIC = 0;
export const GRAPH_STRIDE = 4;
export const GRAPH_ROWS_PER_FRAME = 8;
export const GRAPH_META_OFFSET = 12;
/** Addresses of the u32 arrays of frame addresses: of the code frames and of the node frames. */
export const GRAPH_CODE_FRAMES = 16;
export const GRAPH_NODE_FRAMES = 20;
/** Most links of a node, and how many pruning leaves. */
export const GRAPH_MAX_DEGREE = 24;
export const GRAPH_PRUNED_DEGREE = 28;
export const GRAPH_NODE_BYTES = 32;
export const GRAPH_NODES_PER_FRAME = 36;
/** How much nearer (in squared distance) a kept neighbour must be to stand for another, f32. */
export const GRAPH_ALPHA = 40;
/** Nodes in the graph. */
export const GRAPH_COUNT = 44;
export const GRAPH_ENTRY_POINT_COUNT = 48;
/** Slots u32 where walks begin. */
export const GRAPH_ENTRY_POINTS = 52;
export const GRAPH_ENTRY_POINTS_MAX = 24;
/** 2^40 / rows (nodes) per frame, rounded up, u64. */
export const GRAPH_ROWS_INVERSE = 152;
export const GRAPH_NODES_INVERSE = 160;
/** Address of its clusters' header, or 0. */
export const GRAPH_CLUSTERS = 168;
/** 1 when some thread puts the first node in, or has. */
export const GRAPH_HAS_FIRST = 172;

/**
 * Clusters of a graph: a header like a graph's, whose rows are the clusters' centres (GRAPH_COUNT of them) and the middle of
 * these, and whose nodes are sketches: of the centres, then of the samples. Slot n << SAMPLE_SHIFT is sample n; a centre's
 * META_ROW has the first sample of its cluster + 1, or 0; the samples' u32 have the next one, in blocks behind CLUSTER_LINKS.
 */
export const SAMPLE_SHIFT = 4;
export const SAMPLES_PER_BLOCK = 1024;
/** Address of the u32 array of addresses of these blocks. */
export const CLUSTER_LINKS = 52;
/** Bits of a sketch, one a component; 0 for clusters without sketches. */
export const CLUSTER_CODE_BITS = 56;
/** Most clusters of a graph. */
export const CLUSTERS_MAX = 8192;
/** A sketch: its bits, whole vectors, then a norm f32; each begins at a multiple of this. */
export const BINARY_CODE_NORM_BYTES = 4;
export const BINARY_CODE_ALIGN_BYTES = 64;

/** A node: state u32 (bits below and its degree), dot product of its codes with themselves i32, then its links u32. */
export const NODE_HEADER_BYTES = 8;
export const NODE_CODE_SQUARES = 4;
export const NODE_ALIGN_BYTES = 16;
/** Bound of a graph's GRAPH_MAX_DEGREE. */
export const MAX_DEGREE_BOUND = 128;

/** A walk's scratch: counters (nodes expanded, distances, is cut: u32), fixed areas, the beam, then the visited bitmap. */
export const SEARCH_NODES = 0;
export const SEARCH_DISTANCES = 4;
export const SEARCH_IS_ABANDONED = 8;
export const SEARCH_FIXED_BYTES = 45056;
/** The parameter block of the call, 128 bytes: see parameters.ts. */
export const SEARCH_PARAMETERS = 44928;
/** Slots u32 at which a walk begins, and first samples of the clusters it looked at. */
export const SEARCH_ENTRY_POINTS = 9088;
export const SEARCH_ENTRY_POINTS_MAX = 64;
export const SEARCH_CLUSTERS = 9344;
export const SEARCH_CLUSTERS_MAX = 64;
/** The target's sketch, of up to 20,480 bits; estimates f32 of the distances of all clusters. The end of the fixed areas. */
export const SEARCH_BINARY_CODE = 9600;
export const SEARCH_ESTIMATES = 12160;
/** Bytes of a place of the beam. */
export const BEAM_ENTRY_BYTES = 8;
/** Most nodes that repair considers as new neighbours of one node. */
export const CANDIDATES_BOUND = 512;
