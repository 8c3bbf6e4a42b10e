// The parts of JSON Schema that the endpoints' schemas use, as plain data, and a way to rebuild them.
import type { ApiVersion } from '../../domain/api-version.ts';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  /** Names the schema: the OpenAPI document has it once, as a component. */
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  /** The first version that has this field. */
  readonly 'x-since'?: ApiVersion;
  readonly [keyword: string]: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}

/** A schema made by the builders as plain data; `undefined` is the schema of any value. */
export function plainSchema(schema: object | undefined): JsonSchema {
  return isSchema(schema) ? schema : {};
}

const ONE: ReadonlySet<string> = new Set(['items', 'additionalProperties']);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

/** Changes a part of a schema. `place` is the name of a field, or the keyword that has the part. */
type Change = (part: JsonSchema, place: string) => JsonSchema;

/** The schema with each of its direct parts changed, in the same order of keywords. */
export function mapParts(schema: JsonSchema, change: Change): JsonSchema {
  const changed = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (ONE.has(keyword) && isSchema(value)) return [keyword, change(value, keyword)];
    if (LISTS.has(keyword) && Array.isArray(value)) {
      return [keyword, value.filter(isSchema).map((part) => change(part, keyword))];
    }
    if (NAMED.has(keyword) && isJsonObject(value)) return [keyword, mapValues(value, change)];
    return [keyword, value];
  });
  return Object.fromEntries(changed);
}

function mapValues(parts: JsonObject, change: Change): JsonObject {
  const changed = Object.entries(parts).map(([name, part]) => [
    name,
    isSchema(part) ? change(part, name) : part,
  ]);
  return Object.fromEntries(changed);
}
