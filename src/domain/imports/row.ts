// A row of a columnar file as it stands there, before the rules of records are applied.

/** A list of numbers. */
export interface RowNumbers {
  /** As many as the row has, up to what the reader keeps of one. */
  readonly values: Float32Array | Float64Array;
  /** How many the row has. */
  readonly length: number;
  /** True when one of them is null. */
  readonly hasNull: boolean;
}

export interface RowSparse {
  readonly indices: RowNumbers | null;
  readonly values: RowNumbers | null;
}

/** Null stands for an absent value and for null alike. */
export interface Row {
  readonly id: string | null;
  /** In a buffer of the reader's making: what becomes a record may keep it. */
  readonly values: RowNumbers | null;
  readonly sparse: RowSparse | null;
  /** JSON text. */
  readonly metadata: string | null;
}
