// Types that all parts of the kernel's interface share.

/** Byte address in the shared memory. */
export type Address = number;

/** A sparse vector in shared memory. */
export interface SparseTerms {
  /** u32 array; in a query at most SPARSE_TERMS_MAX indices, distinct. */
  readonly indices: Address;
  /** f32 array of the same length. */
  readonly values: Address;
  readonly count: number;
}
