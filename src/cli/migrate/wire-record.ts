// Records as received from one server and sent to another.

export interface WireRecord {
  readonly id: string;
  readonly values?: readonly number[];
  readonly sparseValues?: { readonly indices: readonly number[]; readonly values: readonly number[] } | null;
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

/** Equal for records that are equal as 32-bit floats, with sparse entries and keys in any order. */
export function signatureOf({ id, values = [], sparseValues, metadata }: WireRecord): string {
  const entries =
    sparseValues?.indices.map((index, at) => [index, Math.fround(sparseValues.values[at] ?? 0)]) ?? [];
  entries.sort(([a = 0], [b = 0]) => a - b);
  const fields = Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, values.map(Math.fround), entries, fields]);
}
