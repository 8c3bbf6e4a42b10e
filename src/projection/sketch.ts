// Short sketches of vectors: random projections, which keep distances well enough to lay the points out at first
// (Johnson and Lindenstrauss, 1984; by hashing, Weinberger et al., 2009).
import { mixed } from './random.ts';

/** Components of a sketch. */
export const SKETCH_LENGTH = 32;

export interface SketchedVector {
  readonly values: ArrayLike<number> | null;
  readonly sparse: { readonly indices: ArrayLike<number>; readonly values: ArrayLike<number> } | null;
}

/** Writes the sketch of a vector to `target`; of length 1 where `isUnit`. Zeros for a record without a vector. */
export function sketch({ values, sparse }: SketchedVector, target: Float32Array, isUnit: boolean): void {
  target.fill(0);
  if (values !== null) for (let i = 0; i < values.length; i++) add(target, i, values[i] ?? 0);
  else if (sparse !== null)
    for (let i = 0; i < sparse.indices.length; i++)
      add(target, sparse.indices[i] ?? 0, sparse.values[i] ?? 0);
  if (!isUnit) return;
  let squares = 0;
  for (const value of target) squares += value * value;
  const factor = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) * factor;
}

/** Each component goes to one component of the sketch, with a random sign. */
function add(target: Float32Array, component: number, value: number): void {
  const hash = mixed(component + 1);
  const at = hash % SKETCH_LENGTH;
  target[at] = (target[at] ?? 0) + ((hash >>> 30) & 1 ? value : -value);
}
