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
