// Truncates a dense vector to the requested dimension, and normalizes it to unit length.
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
    throw new ProviderError('broken', `its vectors have dimension ${vector.length} instead of ${dimension}`);
  }
  if (!vector.every(Number.isFinite))
    throw new ProviderError('broken', 'a vector has components that are not numbers');
  const cut = vector.length === dimension ? vector : vector.slice(0, dimension);
  return isNormalized ? unitLength(cut) : cut;
}

function unitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length)))
    throw new ProviderError('broken', 'a vector has no direction');
  return vector.map((value) => value / length);
}
