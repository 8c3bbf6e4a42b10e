// BM25 (Robertson and Zaragoza 2009) as Lucene and tantivy have it, with exact lengths of fields.

const K1 = 1.2;
const B = 0.75;
/** What the saturation of a term comes near to, but never reaches. */
export const SATURATION_MAX = K1 + 1;

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

/**
 * What the saturation of a term rises with: it is (K1 + 1) * density / (density + 1).
 * @param relativeLength of the field, to the average
 */
export function densityOf(occurrences: number, relativeLength: number): number {
  return occurrences / (K1 * (1 - B + B * relativeLength));
}

/** Lengths up to this are exact. */
const EXACT_LENGTH_MAX = 49_152;
const LENGTH_STEP = 16;

/** The length that scores are computed with: texts of so many n-grams that two bytes do not tell them apart count as shorter. */
export function scoredLength(tokens: number): number {
  if (tokens < EXACT_LENGTH_MAX) return tokens;
  return tokens - ((tokens - EXACT_LENGTH_MAX) % LENGTH_STEP);
}

/** The share of the weight that a field gets, from 0 to K1 + 1: for its occurrences of a term and its length in tokens. */
export function saturation(
  occurrences: number,
  length: number,
  { records, tokens }: FieldStatistics,
): number {
  const relativeLength = (scoredLength(length) * records) / tokens;
  return (occurrences * (K1 + 1)) / (occurrences + K1 * (1 - B + B * relativeLength));
}
