// Reads dense vectors from parsed JSON into 32-bit floats; the hot loop of every upsert and query.
import { fault, invalid } from '../faults.ts';
import { DENSE_MAGNITUDE_MIN } from '../limits.ts';

/** Smallest normal 32-bit float; smaller ones are flushed to zero (arithmetic on them is 20 to 70 times slower). */
export const FLOAT32_NORMAL_MIN = 1.1754943508222875e-38;

export interface DenseVector {
  readonly values: Float32Array;
  /** No component reaches DENSE_MAGNITUDE_MIN. */
  readonly allZero: boolean;
}

/**
 * Reads an array of `dimension` numbers, or takes over a Float32Array, which must be finite and without denormal floats,
 * like those read from JSON and those that `settleFloats` has processed.
 * @throws dimension-mismatch; invalid-argument for anything but finite 32-bit floats
 */
export function readDense(json: unknown, dimension: number): DenseVector {
  const isRead = json instanceof Float32Array;
  if (!isRead && !Array.isArray(json)) throw invalid('Vector values must be an array of numbers');
  if (json.length !== dimension) {
    throw fault('dimension-mismatch', { actual: json.length, expected: dimension });
  }
  if (isRead) return { values: json, allZero: !json.some(isNotable) };
  const source: readonly unknown[] = json;
  const values = new Float32Array(dimension);
  const peak = copyFloats(source, values);
  return { values, allZero: peak < DENSE_MAGNITUDE_MIN };
}

function isNotable(value: number): boolean {
  return Math.abs(value) >= DENSE_MAGNITUDE_MIN;
}

/**
 * Prepares floats of unknown origin: sets denormal floats to zero.
 * @throws invalid-argument for anything but finite 32-bit floats
 */
export function settleFloats(values: Float32Array): void {
  for (let i = 0; i < values.length; i++) {
    const magnitude = Math.abs(values[i] ?? 0);
    if (magnitude < FLOAT32_NORMAL_MIN) values[i] = 0;
    // Also false for NaN.
    else if (!(magnitude < Number.POSITIVE_INFINITY)) throw notFinite();
  }
}

function notFinite(): Error {
  return invalid('Vector values must be finite 32-bit floats');
}

/**
 * Fills `target` from `source` and returns the greatest magnitude. Denormal floats become zero.
 * @throws invalid-argument for anything but finite 32-bit floats
 */
export function copyFloats(source: readonly unknown[], target: Float32Array): number {
  let peak = 0;
  for (let i = 0; i < source.length; i++) {
    const item = source[i];
    if (typeof item !== 'number') throw invalid('Vector values must be numbers');
    target[i] = item;
    const magnitude = Math.abs(Math.fround(item));
    if (magnitude < FLOAT32_NORMAL_MIN) target[i] = 0;
    else if (!(magnitude <= peak)) {
      // Here NaN arrives, too: files and messages may hold it, JSON cannot.
      if (!(magnitude < Number.POSITIVE_INFINITY)) throw notFinite();
      peak = magnitude;
    }
  }
  return peak;
}

/** Sets denormal floats to 0, in place, and returns the list: arithmetic on denormals is 20 to 70 times slower. */
export function flushDenormals(values: Float32Array): Float32Array {
  for (let i = 0; i < values.length; i++) {
    if (Math.abs(values[i] ?? 0) < FLOAT32_NORMAL_MIN) values[i] = 0;
  }
  return values;
}
