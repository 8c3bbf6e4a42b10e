// Constants of the memory layout, shared as one text by the kernel's source (AssemblyScript) and TypeScript.

/** Bytes of a frame, the unit in which codes and sparse entries are stored and scanned. */
export const FRAME_BYTES = 65536;

/** Bytes of a row's metadata: scale f32, codeSum i32, normSquared f32, residualNorm f32, row u32. */
export const META_BYTES = 20;
export const META_SCALE = 0;
export const META_CODE_SUM = 4;
export const META_NORM_SQUARED = 8;
export const META_RESIDUAL_NORM = 12;
export const META_ROW = 16;

/** Code rows are padded with zeros to a multiple of this many bytes. */
export const CODE_ALIGN_BYTES = 16;
/** Codes are in -127..127. */
export const CODE_MAX = 127;

export const METRIC_DOT_PRODUCT = 0;
export const METRIC_COSINE = 1;
export const METRIC_EUCLIDEAN = 2;

/** Largest absolute component of a row or query that codes can describe; others are always rescored. */
export const MAGNITUDE_CODED_MAX = 1125899906842624; // 2^50
/** The smallest one above 0. Between the two, no 32-bit step of the bound overflows or vanishes. */
export const MAGNITUDE_CODED_MIN = 9.094947017729282e-13; // 2^-40

/** A dense query's block: this header, then the padded codes of 2 bytes each, then the padded floats. */
export const QUERY_HEADER_BYTES = 96;

/** A heap: this header (capacity u32, count u32, offered u32, threshold f32), then the entries. */
export const HEAP_HEADER_BYTES = 16;
export const HEAP_CAPACITY = 0;
export const HEAP_COUNT = 4;
export const HEAP_OFFERED = 8;
export const HEAP_THRESHOLD = 12;
/** Bytes of an entry: key f32, slot u32. */
export const HEAP_ENTRY_BYTES = 8;

/** Bytes before the indices of an entry of a sparse frame: slot u32, terms u32. */
export const SPARSE_ENTRY_HEADER_BYTES = 8;
/** Maximum terms of a sparse query. */
export const SPARSE_TERMS_MAX = 2048;

/** A proximity graph's header, which all threads share, 64-byte aligned. */
export const GRAPH_BYTES = 192;
export const GRAPH_METRIC = 0;
export const GRAPH_STRIDE = 4;
export const GRAPH_ROWS_PER_FRAME = 8;
export const GRAPH_META_OFFSET = 12;
/** Addresses of the u32 arrays of frame addresses: of the code frames and of the node frames. */
export const GRAPH_CODE_FRAMES = 16;
export const GRAPH_NODE_FRAMES = 20;
/** Maximum degree of a node, and its degree after pruning. */
export const GRAPH_MAX_DEGREE = 24;
export const GRAPH_PRUNED_DEGREE = 28;
export const GRAPH_NODE_BYTES = 32;
export const GRAPH_NODES_PER_FRAME = 36;
/**
 * Alpha of robust pruning f32: the factor by which a selected neighbor must be nearer (in squared distance) to occlude
 * another.
 */
export const GRAPH_ALPHA = 40;
/** Nodes in the graph. */
export const GRAPH_COUNT = 44;
export const GRAPH_ENTRY_POINT_COUNT = 48;
/** Slots u32 of the graph's own entry points. */
export const GRAPH_ENTRY_POINTS = 52;
export const GRAPH_ENTRY_POINTS_MAX = 24;
/** 2^40 / rows (nodes) per frame, rounded up, u64. */
export const GRAPH_ROWS_INVERSE = 152;
export const GRAPH_NODES_INVERSE = 160;
/** Address of the header of its clusters, or 0. */
export const GRAPH_CLUSTERS = 168;
/** 1 once a thread has inserted, or is about to insert, the first node. */
export const GRAPH_HAS_FIRST = 172;
/** Bits of the binary code in each node, one per component; 0 for nodes without. */
export const GRAPH_NODE_CODE_BITS = 176;
/** Address of the center of these codes: a row's codes i8, then their scale f32. */
export const GRAPH_CENTER = 180;
/** Rows whose mean the center is, at most. */
export const GRAPH_CENTER_ROWS_MAX = 512;

/**
 * Clusters of a graph: a header like a graph's. Its rows are the centroids of the clusters (GRAPH_COUNT of them) and
 * their mean; its nodes are binary codes, of the centroids and then of the samples. Slot n << SAMPLE_SHIFT is sample n.
 * The lists of samples are linked: META_ROW of a centroid holds the first sample of its cluster + 1, or 0, and a u32
 * per sample, in blocks behind CLUSTER_LINKS, holds the next.
 */
export const SAMPLE_SHIFT = 4;
export const SAMPLES_PER_BLOCK = 1024;
/** Address of the u32 array of the addresses of these blocks. */
export const CLUSTER_LINKS = 52;
/** Bits of a binary code, one per component; 0 for clusters without binary codes. */
export const CLUSTER_CODE_BITS = 56;
/** Maximum clusters of a graph. */
export const CLUSTERS_MAX = 8192;
/** A binary code: its bits in whole vectors, then a norm f32; each starts at a multiple of this alignment. */
export const BINARY_CODE_NORM_BYTES = 4;
export const BINARY_CODE_ALIGN_BYTES = 64;

/** A node: state u32 (flags and degree), dot product of its codes with themselves i32, then its edges u32. */
export const NODE_HEADER_BYTES = 8;
export const NODE_CODE_SQUARES = 4;
export const NODE_ALIGN_BYTES = 16;
/**
 * The binary code of a node, behind its edges: the squared norm f32 of its row relative to the center, divided by the
 * sum of its magnitudes; the squared norm f32; then the bits in whole vectors.
 */
export const NODE_CODE_FACTOR = 0;
export const NODE_CODE_NORM_SQUARED = 4;
export const NODE_CODE_BITS = 8;
/** Bits of a query's component where nodes have binary codes. */
export const QUERY_PLANES = 6;
/** Upper bound of GRAPH_MAX_DEGREE. */
export const MAX_DEGREE_BOUND = 128;

/**
 * The scratch of a search: counters (nodes expanded, distances, whether it was abandoned: u32), fixed areas, the beam,
 * then the bitmap of visited nodes.
 */
export const SEARCH_NODES = 0;
export const SEARCH_DISTANCES = 4;
export const SEARCH_IS_ABANDONED = 8;
export const SEARCH_FIXED_BYTES = 60416;
/** The parameter block of the call, 128 bytes: see parameters.ts. */
export const SEARCH_PARAMETERS = 44928;
/** Slots u32 of the entry points of a search, and first samples of the clusters that it probes. */
export const SEARCH_ENTRY_POINTS = 9088;
export const SEARCH_ENTRY_POINTS_MAX = 64;
export const SEARCH_CLUSTERS = 9344;
export const SEARCH_CLUSTERS_MAX = 64;
/** The target's binary code, of up to 20,480 bits; and estimates f32 of the distances of all centroids. */
export const SEARCH_BINARY_CODE = 9600;
export const SEARCH_ESTIMATES = 12160;
/** The query, bit by bit: QUERY_PLANES planes of up to 20,480 bits. */
export const SEARCH_PLANES = 45056;
/** Bytes of an entry of the beam. */
export const BEAM_ENTRY_BYTES = 8;
/** Maximum candidates that the consolidation of deletes considers as new neighbors of one node. */
export const CANDIDATES_BOUND = 512;

/** A set of cells: key u32 x 2, shift u32, shift of the sketch u32, offset of the table u32, sketch; table. */
export const CELL_SET_KEY_LOW = 0;
export const CELL_SET_KEY_HIGH = 4;
export const CELL_SET_SHIFT = 8;
export const CELL_SET_SKETCH_SHIFT = 12;
export const CELL_SET_TABLE = 16;
export const CELL_SET_SKETCH = 24;
/** Multipliers of the hash of a cell: of its words, of the two mixed, and of the hash for the second bucket. */
export const CELL_MIX_LOW = 0x9e3779b1;
export const CELL_MIX_HIGH = 0x85ebca6b;
export const CELL_MIX_FIRST = 0xc2b2ae35;
export const CELL_MIX_SECOND = 0x27d4eb2f;
