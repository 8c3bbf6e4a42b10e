// A real data set: rows of a file, and queries of several kinds.
import { readFileSync } from 'node:fs';
import type { Metric } from '../../src/domain/index-model.ts';

export interface RealSet {
  readonly name: string;
  readonly metric: Metric;
  readonly dimension: number;
  readonly base: readonly Float32Array[];
  /** Queries by kind; none of them is a record. */
  readonly kinds: ReadonlyMap<string, readonly Float32Array[]>;
}

export interface SetSize {
  readonly records: number;
  /** Of each kind. */
  readonly queries: number;
}

/** The first `count` rows of a file of 32-bit floats. @throws when it has fewer */
export function readRows(path: string, dimension: number, count: number): readonly Float32Array[] {
  const bytes = readFileSync(path);
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
  if (values.length < count * dimension) throw new Error(`${path} has fewer than ${count} rows`);
  return Array.from({ length: count }, (_, at) => values.slice(at * dimension, (at + 1) * dimension));
}

/** The direction between each row and another: a query that is near to neither. */
export function meansOfTwo(rows: readonly Float32Array[]): readonly Float32Array[] {
  const units = rows.map(unit);
  return units.map((row, at) => {
    const other = units[(at * 7 + 13) % units.length] ?? row;
    return unit(row.map((value, i) => value + (other[i] ?? 0)));
  });
}

function unit(row: Float32Array): Float32Array {
  const norm = Math.hypot(...row);
  return norm === 0 ? row : row.map((value) => value / norm);
}
