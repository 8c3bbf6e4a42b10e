// Records as they come over the wire from one server and go to another.

export interface WireRecord {
  readonly id: string;
  readonly values?: readonly number[];
  readonly sparseValues?: { readonly indices: readonly number[]; readonly values: readonly number[] } | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** What an upsert takes: absent parts are left out. */
export function upsertable({ id, values, sparseValues, metadata }: WireRecord): WireRecord {
  return {
    id,
    ...(values === undefined || values.length === 0 ? {} : { values }),
    ...(sparseValues === undefined || sparseValues === null ? {} : { sparseValues }),
    ...(metadata === undefined || metadata === null ? {} : { metadata }),
  };
}

/** True when both are the same record to any reader: 32-bit floats, entries in any order, keys in any order. */
export function areSame(one: WireRecord, other: WireRecord): boolean {
  return signature(one) === signature(other);
}

function signature({ id, values = [], sparseValues, metadata }: WireRecord): string {
  const entries =
    sparseValues?.indices.map((index, at) => [index, Math.fround(sparseValues.values[at] ?? 0)]) ?? [];
  entries.sort(([a = 0], [b = 0]) => a - b);
  const fields = Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, values.map(Math.fround), entries, fields]);
}
