// The rules that tie vector type, metric and dimension of an index together.
import { invalid } from './faults.ts';
import type { Metric, VectorType } from './index-model.ts';
import { DIMENSION_MAX, DIMENSION_MIN } from './limits.ts';

export const METRICS: readonly Metric[] = ['cosine', 'euclidean', 'dotproduct'];
export const VECTOR_TYPES: readonly VectorType[] = ['dense', 'sparse'];

export interface VectorShape {
  readonly vectorType: VectorType;
  readonly metric: Metric;
  /** Null exactly when vectorType is sparse. */
  readonly dimension: number | null;
}

/** The requested shape; absent parts take their defaults. */
export interface RequestedShape {
  readonly vectorType?: string | undefined;
  readonly metric?: string | undefined;
  readonly dimension?: number | undefined;
}

/** @throws invalid-argument */
export function vectorShape(requested: RequestedShape): VectorShape {
  const vectorType = VECTOR_TYPES.find((type) => type === (requested.vectorType ?? 'dense'));
  if (vectorType === undefined) throw invalid('vector_type must be dense or sparse.');
  const metric = requested.metric === undefined ? undefined : metricNamed(requested.metric);
  return vectorType === 'sparse' ? sparseShape(metric, requested) : denseShape(metric, requested);
}

function metricNamed(name: string): Metric {
  const metric = METRICS.find((one) => one === name);
  if (metric === undefined) throw invalid('Metric must be cosine, euclidean, or dotproduct.');
  return metric;
}

function sparseShape(metric: Metric | undefined, { dimension }: RequestedShape): VectorShape {
  if (dimension !== undefined) throw invalid('dimension must not be given for a sparse index.');
  if (metric !== undefined && metric !== 'dotproduct') {
    throw invalid('Metric must be dotproduct for a sparse index.');
  }
  return { vectorType: 'sparse', metric: 'dotproduct', dimension: null };
}

function denseShape(metric: Metric | undefined, { dimension }: RequestedShape): VectorShape {
  if (dimension === undefined) throw invalid('dimension is required for a dense index.');
  if (!Number.isInteger(dimension) || dimension < DIMENSION_MIN || dimension > DIMENSION_MAX) {
    throw invalid(
      `dimension must be an integer from ${DIMENSION_MIN} to ${DIMENSION_MAX}, got ${dimension}.`,
    );
  }
  return { vectorType: 'dense', metric: metric ?? 'cosine', dimension };
}
