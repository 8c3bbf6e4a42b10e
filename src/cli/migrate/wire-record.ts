// Records as received from one server and sent to another.
import { FLOAT32_NORMAL_MIN } from '../../domain/records/dense-vector.ts';

export interface WireSparse {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

export interface WireRecord {
  readonly id: string;
  readonly values?: readonly number[];
  readonly sparseValues?: WireSparse | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** The record for an upsert, without its absent parts. */
export function upsertable({ id, values, sparseValues, metadata }: WireRecord): WireRecord {
  return {
    id,
    ...(values === undefined || values.length === 0 ? {} : { values }),
    ...(sparseValues === undefined || sparseValues === null ? {} : { sparseValues }),
    ...(metadata === undefined || metadata === null ? {} : { metadata }),
  };
}

/** The number as a server stores it in a vector: a 32-bit float, of which the denormal ones become 0. */
export function storedFloat(value: number): number {
  const float = Math.fround(value);
  return Math.abs(float) < FLOAT32_NORMAL_MIN ? 0 : float;
}

/** The entries in ascending order of their indices, as servers may return them. */
export function sparseEntries({ indices, values }: WireSparse): readonly (readonly [number, number])[] {
  return indices.map((index, at) => [index, storedFloat(values[at] ?? 0)] as const).sort(([a], [b]) => a - b);
}

/** Equal for records whose vectors are stored as the same, with sparse entries and keys in any order. */
export function signatureOf({ id, values = [], sparseValues, metadata }: WireRecord): string {
  const entries = sparseValues ? sparseEntries(sparseValues) : [];
  const fields = Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, values.map(storedFloat), entries, fields]);
}
