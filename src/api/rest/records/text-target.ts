// Reads an embedded query text in the engine thread: the counterpart of `textLists`.
import { floatsOf } from '../../../domain/embedding/engine-body.ts';
import type { VectorPair } from '../../../domain/records/vector-record.ts';

export interface TextTarget {
  readonly vectors: VectorPair;
  /** On sparse indexes, the indices that every hit must have; empty means no condition. */
  readonly required: Uint32Array;
  /** How many tokens the model counted. */
  readonly tokens: number;
}

/** Reads the lists that `textLists` made. */
export function textTarget(lists: readonly Uint32Array<ArrayBuffer>[], dimension: number | null): TextTarget {
  const [tokens = new Uint32Array(1), first, second, required = new Uint32Array(0)] = lists;
  if (first === undefined) throw new RangeError('an engine body lacks the vector of its text');
  const count = { required, tokens: tokens[0] ?? 0 };
  if (dimension !== null) return { ...count, vectors: { values: floatsOf(first), sparse: null } };
  if (second === undefined) throw new RangeError('an engine body lacks the weights of its text');
  return { ...count, vectors: { values: null, sparse: { indices: first, values: floatsOf(second) } } };
}
