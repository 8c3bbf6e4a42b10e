// What a reader must know beyond the shared bytes: plain data, posted between threads in the order of its making.

/** A place in the forward stream: number of the frame, and byte within it. */
export interface ForwardPosition {
  readonly frame: number;
  readonly byte: number;
}

/** A run of slots whose sparse vectors are in inverted lists. */
export interface ChunkStructure {
  readonly firstSlot: number;
  /** First slot after the chunk. */
  readonly endSlot: number;
  /** Addresses of its list frames, in the order of their indices. */
  readonly frames: readonly number[];
  /** Where the entries begin that no list has yet, as far as this chunk knows. */
  readonly unindexed: ForwardPosition;
}

/** A step in the growth of a namespace's postings. Applying one twice is harmless. */
export type PostingListDelta =
  /** Frames of the forward stream from the `first`-th on: byte addresses. */
  | { readonly kind: 'stream'; readonly first: number; readonly addresses: readonly number[] }
  /** Blocks that tell where slots' entries lie, SLOTS_PER_BLOCK slots each, from the `first`-th on. */
  | { readonly kind: 'slots'; readonly first: number; readonly addresses: readonly number[] }
  /** The `number`-th chunk. */
  | { readonly kind: 'chunk'; readonly number: number; readonly chunk: ChunkStructure };

/** All steps so far, few and long. */
export type PostingListStructure = readonly PostingListDelta[];
