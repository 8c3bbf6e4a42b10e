// What the codes of a segment describe: its vectors themselves or, where these lie far from zero, their differences from
// an origin (docs/decisions/084-code-origins.md).
import type { Metric } from '../../../domain/index-model.ts';

type Vector = Float32Array<ArrayBuffer>;

export class CodeSpace {
  /** Null for zero. Never with dot products, which change when vectors are moved. */
  readonly origin: Vector | null;
  /** True where codes describe unit vectors, whose squared distance is 2 - 2 cosine. */
  readonly #isOfUnitVectors: boolean;
  /** What codes are compared by. */
  readonly metric: Metric;
  readonly #isDistance: boolean;

  /** @param metric of the index */
  constructor(metric: Metric, origin: Vector | null) {
    this.origin = origin;
    this.#isOfUnitVectors = metric === 'cosine' && origin !== null;
    this.metric = this.#isOfUnitVectors ? 'euclidean' : metric;
    this.#isDistance = metric === 'euclidean';
  }

  /** A row, or a query, as codes describe it. */
  place(vector: Float32Array): Float32Array {
    const { origin } = this;
    if (origin === null) return vector;
    const scale = this.#isOfUnitVectors ? inverseNormOf(vector) : 1;
    const placed = new Float32Array(vector.length);
    for (let at = 0; at < vector.length; at++) placed[at] = scale * (vector[at] ?? 0) - (origin[at] ?? 0);
    return placed;
  }

  /** A score as bounds by codes are compared with it: higher is better. */
  keyOf(score: number): number {
    if (this.#isOfUnitVectors) return 2 * score - 2;
    return this.#isDistance ? -score : score;
  }

  scoreOf(key: number): number {
    if (this.#isOfUnitVectors) return key / 2 + 1;
    return this.#isDistance ? -key : key;
  }
}

/** A vector that origins are chosen by: by cosine of length 1, or 0. */
export function comparable(metric: Metric, vector: Float32Array): Float32Array {
  if (metric !== 'cosine') return vector;
  const scale = inverseNormOf(vector);
  return vector.map((component) => component * scale);
}

/** 0 for a vector of zeros. */
function inverseNormOf(vector: Float32Array): number {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) ** 2;
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}
