// Brings a dense vector to the dimension that was asked for, and to unit length.
import { ProviderError } from './provider-errors.ts';

export interface VectorForm {
  readonly dimension: number;
  /** Whether a longer vector may be cut: models trained for it put what matters first. */
  readonly isCuttable: boolean;
  readonly isNormalized: boolean;
}

/** @throws ProviderError when it has another dimension, components that are no numbers, or no direction */
export function shapeVector(vector: Float32Array, form: VectorForm): Float32Array {
  const { dimension, isCuttable, isNormalized } = form;
  if (vector.length !== dimension && !(isCuttable && vector.length > dimension)) {
    throw new ProviderError('broken', `its vectors have dimension ${vector.length} instead of ${dimension}`);
  }
  if (!vector.every(Number.isFinite))
    throw new ProviderError('broken', 'a vector has components that are no numbers');
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
