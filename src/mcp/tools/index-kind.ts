// What kind of index a tool works on: its requests go to other endpoints for each.
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import type { Ask } from '../tool.ts';

/**
 * `text`: the service embeds the texts of one field. `vectors`: callers bring vectors. `documents`: a schema of fields
 * says how they are searched.
 */
export type IndexKind = 'text' | 'vectors' | 'documents';

export interface KnownIndex {
  readonly name: string;
  readonly kind: IndexKind;
  /** Null for indexes without dense vectors. */
  readonly dimension: number | null;
  /** Of kind `text`: the field that is embedded. */
  readonly textField: string | null;
  /** Of kind `documents`: its fields by name. */
  readonly fields: Readonly<Record<string, JsonObject>>;
  /** As the interface describes it. */
  readonly described: JsonObject;
}

/** @throws ToolError if there is no such index */
export async function findIndex(name: string, ask: Ask): Promise<KnownIndex> {
  return knownIndex(await ask({ method: 'GET', path: `/indexes/${encodeURIComponent(name)}` }));
}

/** @param described as newer versions of the interface describe indexes */
export function knownIndex(described: JsonObject): KnownIndex {
  const { name, dimension, embed, schema } = described;
  const fields = Object.entries(membersOf(membersOf(schema).fields)).flatMap(([field, value]) =>
    isJsonObject(value) ? [[field, value] as const] : [],
  );
  const isOfVectors = fields.every(([field]) => field === '_values' || field === '_sparse_values');
  const { text } = membersOf(membersOf(embed).field_map);
  const kind = isJsonObject(embed) ? 'text' : isOfVectors ? 'vectors' : 'documents';
  return {
    name: String(name),
    kind,
    dimension: typeof dimension === 'number' ? dimension : null,
    textField: typeof text === 'string' ? text : null,
    fields: kind === 'documents' ? Object.fromEntries(fields) : {},
    described,
  };
}

/** The base of the data endpoints of an index. */
export function dataPath({ name }: Pick<KnownIndex, 'name'>): string {
  return `/data/${encodeURIComponent(name)}`;
}

const DEFAULT_NAMESPACE = '__default__';

/** The base of the endpoints for documents of a namespace. */
export function documentsPath(index: KnownIndex, namespace = DEFAULT_NAMESPACE): string {
  return `${dataPath(index)}/namespaces/${encodeURIComponent(namespace)}/documents`;
}

/** The base of the endpoints for texts of a namespace. */
export function recordsPath(index: KnownIndex, namespace = DEFAULT_NAMESPACE): string {
  return `${dataPath(index)}/records/namespaces/${encodeURIComponent(namespace)}`;
}

/** A query string of the given values; undefined ones are left out. */
export function queryText(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
