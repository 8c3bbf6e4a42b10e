// What a reader must know beyond the shared bytes: plain data, posted between threads in the order in which it arises.

/** A step in the growth of a namespace's columns. Applying one twice is harmless. */
export type ColumnDelta =
  /** The block of column lengths. */
  | { readonly kind: 'lengths'; readonly address: number }
  /**
   * A field gets a column of its own. Its earlier entries are among the first `commonEntries` of the common column,
   * its later ones all in its own.
   */
  | {
      readonly kind: 'field';
      readonly field: string;
      readonly column: number;
      readonly commonEntries: number;
    }
  /** Blocks of a column from its `first`-th on: byte addresses. */
  | {
      readonly kind: 'blocks';
      readonly column: number;
      readonly first: number;
      readonly addresses: readonly number[];
    }
  /** Where readers count scans of columns, by their numbers (int32). */
  | { readonly kind: 'scans'; readonly counts: SharedArrayBuffer }
  /** Sorted runs of a column from its `first`-th on. */
  | {
      readonly kind: 'runs';
      readonly column: number;
      readonly first: number;
      readonly buffers: readonly SharedArrayBuffer[];
    };

/** All steps so far, few and long. */
export type ColumnStructure = readonly ColumnDelta[];
