// What a reader must know beyond the shared bytes: plain data, posted between threads in the order in which it arises.

/** A position in the forward index: number of the frame, and byte within it. */
export interface ForwardPosition {
  readonly frame: number;
  readonly byte: number;
}

/** A run of slots whose sparse vectors are in posting lists. */
export interface ChunkStructure {
  readonly firstSlot: number;
  /** The first slot after the chunk. */
  readonly endSlot: number;
  /** Addresses of its list frames, in the order of their indices. */
  readonly frames: readonly number[];
  /** Where the unindexed entries start, as far as this chunk knows. */
  readonly unindexed: ForwardPosition;
}

/** A step in the growth of a namespace's posting lists. Applying one twice is harmless. */
export type PostingListDelta =
  /** Frames of the forward index from the `first`-th on: byte addresses. */
  | { readonly kind: 'stream'; readonly first: number; readonly addresses: readonly number[] }
  /** Blocks with the positions of slots' entries, SLOTS_PER_BLOCK slots each, from the `first`-th on. */
  | { readonly kind: 'slots'; readonly first: number; readonly addresses: readonly number[] }
  /** The `number`-th chunk. */
  | { readonly kind: 'chunk'; readonly number: number; readonly chunk: ChunkStructure };

/** All steps so far, few and long. */
export type PostingListStructure = readonly PostingListDelta[];
