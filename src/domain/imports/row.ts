// A row of a columnar file, before the rules of records are applied.

/** A list of numbers. */
export interface RowNumbers {
  /** The numbers of the row, up to the reader's limit. */
  readonly values: Float32Array | Float64Array;
  /** Length of the list in the file. */
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
  /** In a buffer that the record may keep. */
  readonly values: RowNumbers | null;
  readonly sparse: RowSparse | null;
  /** The texts of columns of their own, by name; only those that are present. */
  readonly texts: readonly (readonly [name: string, text: string])[];
  /** JSON text. */
  readonly metadata: string | null;
  /** Fields of metadata that have columns of their own, or are members of a struct; only those that are present. */
  readonly fields: readonly (readonly [name: string, value: unknown])[];
  /** A column of the row whose text is not UTF-8, which is absent above: such a row is no record. */
  readonly notText: string | null;
}
