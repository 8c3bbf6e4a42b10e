// Truncates a dense vector to the requested dimension, and normalizes it to unit length.
import { DENSE_MAGNITUDE_MIN } from '../domain/limits.ts';
import { ProviderError } from './provider-errors.ts';

export interface VectorForm {
  readonly dimension: number;
  /** Whether a longer vector may be truncated: models trained for it put the most important components first. */
  readonly isCuttable: boolean;
  readonly isNormalized: boolean;
}

/** @throws ProviderError for a wrong dimension, components that are not finite, or a zero vector */
export function shapeVector(vector: Float32Array, form: VectorForm): Float32Array {
  const { dimension, isCuttable, isNormalized } = form;
  if (vector.length !== dimension && !(isCuttable && vector.length > dimension)) {
    throw wrongDimension(vector.length, dimension);
  }
  if (!vector.every(Number.isFinite))
    throw new ProviderError('broken', 'a vector has components that are not numbers');
  const cut = vector.length === dimension ? vector : vector.slice(0, dimension);
  const shaped = isNormalized ? unitLength(cut) : cut;
  if (!shaped.some((value) => Math.abs(value) >= DENSE_MAGNITUDE_MIN)) throw noDirection();
  return shaped;
}

export function wrongDimension(actual: number, expected: number): ProviderError {
  return new ProviderError('broken', `its vectors have dimension ${actual} instead of ${expected}`);
}

function unitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (length === 0) throw noDirection();
  return vector.map((value) => value / length);
}

function noDirection(): ProviderError {
  return new ProviderError('broken', 'a vector has no direction');
}
