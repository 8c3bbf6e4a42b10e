// BM25 (Robertson and Zaragoza 2009) as Lucene and tantivy have it, with exact lengths of fields.

const K1 = 1.2;
const B = 0.75;

/** Statistics of a field over all records of a namespace. */
export interface FieldStatistics {
  /** All records of the namespace, with the field or without. */
  readonly records: number;
  /** Tokens of the field in all records. */
  readonly tokens: number;
}

/** The weight of a term that `holders` of `records` records have; always positive. */
export function inverseDocumentFrequency(holders: number, records: number): number {
  return Math.log(1 + (records - holders + 0.5) / (holders + 0.5));
}

/** The share of the weight that a field gets, from 0 to K1 + 1: for its occurrences of a term and its length in tokens. */
export function saturation(
  occurrences: number,
  length: number,
  { records, tokens }: FieldStatistics,
): number {
  const relativeLength = (length * records) / tokens;
  return (occurrences * (K1 + 1)) / (occurrences + K1 * (1 - B + B * relativeLength));
}
