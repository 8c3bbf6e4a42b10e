// The origin of a segment's codes, for rows that lie far from zero (docs/decisions/084-code-origins.md). A code has one
// scale a row, so that what it loses grows with the row's components, and not with the distances between rows.
import { MAGNITUDE_CODED_MAX, MAGNITUDE_CODED_MIN } from '../kernels/layout.ts';

/** Rows that an origin is chosen by, at most. */
export const ORIGIN_ROWS_MAX = 128;
/** From fewer rows nothing follows for those to come. */
export const ORIGIN_ROWS_MIN = 64;
/** An origin must lessen the error of estimated distances by this factor, */
const GAIN_MIN = 5;
/** and another one than what codes have by this, since all codes are then made anew. */
export const GAIN_MIN_ANEW = 2 * GAIN_MIN;
/** For this share of the rows. */
const GAINING_SHARE = 0.75;
/** Rows farther than this many times the median distance do not count in the mean. */
const NEAR_FACTOR = 2;
/** Of leaving out rows: after the first, one that is farther than all others together does not count any more. */
const ROUNDS = 3;
/** No difference from such an origin overflows 32 bits. */
const MAGNITUDE_MAX = 2 ** 100;

interface OriginChoice {
  /** About where the origin is; default the mean of the rows. */
  readonly start?: Float32Array;
  readonly gainMin?: number;
}

/**
 * The origin for codes of rows like these: the mean of those that are not far from the others. Null where codes are about
 * as good without one, and for fewer than ORIGIN_ROWS_MIN rows.
 */
export function originOf(
  rows: readonly Float32Array[],
  choice: OriginChoice = {},
): Float32Array<ArrayBuffer> | null {
  const [first] = rows;
  if (first === undefined || rows.length < ORIGIN_ROWS_MIN) return null;
  const { start = meanOf(rows), gainMin = GAIN_MIN } = choice;
  let origin = meanOf(nearest(rows, start));
  for (let round = 1; round < ROUNDS; round++) origin = meanOf(nearest(rows, origin));
  if (!origin.every((component) => Math.abs(component) <= MAGNITUDE_MAX)) return null;
  const zero = new Float32Array(first.length);
  const errorFrom = (from: Float32Array) =>
    quantileOf(
      rows.map((row) => errorOf(extentOf(row, from))),
      GAINING_SHARE,
    );
  return gainMin * errorFrom(origin) < errorFrom(zero) ? origin : null;
}

/** The rows but for those that lie far from most. */
function nearest(rows: readonly Float32Array[], from: Float32Array): readonly Float32Array[] {
  const distances = rows.map((row) => extentOf(row, from).norm);
  const far = NEAR_FACTOR * quantileOf(distances, 0.5);
  return rows.filter((_, at) => (distances[at] ?? 0) <= far);
}

interface Extent {
  readonly norm: number;
  /** Of the largest component. */
  readonly magnitude: number;
}

/** In proportion to the error of a squared distance between such rows that is estimated by their codes. */
function errorOf({ norm, magnitude }: Extent): number {
  if (magnitude === 0) return 0;
  const isCodable = magnitude >= MAGNITUDE_CODED_MIN && magnitude <= MAGNITUDE_CODED_MAX;
  return isCodable ? magnitude * norm : Number.POSITIVE_INFINITY;
}

function extentOf(row: Float32Array, from: Float32Array): Extent {
  let squares = 0;
  let magnitude = 0;
  for (let at = 0; at < row.length; at++) {
    const component = (row[at] ?? 0) - (from[at] ?? 0);
    squares += component * component;
    magnitude = Math.max(magnitude, Math.abs(component));
  }
  return { norm: Math.sqrt(squares), magnitude };
}

function meanOf(rows: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(rows[0]?.length ?? 0);
  for (const row of rows) for (let at = 0; at < row.length; at++) sums[at] = (sums[at] ?? 0) + (row[at] ?? 0);
  return Float32Array.from(sums, (sum) => sum / rows.length);
}

function quantileOf(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;
}
