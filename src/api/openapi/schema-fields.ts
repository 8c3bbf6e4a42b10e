// Lists the fields of a JSON Schema as flat rows with dotted names, for people.
import { isSchema, type JsonSchema } from '../schema/json-schema.ts';

/** A field, or the heading of one of several alternatives, whose fields follow. */
export type Row = FieldRow | AlternativeRow;

export interface AlternativeRow {
  /** For example `one of 2: Record`. */
  readonly alternative: string;
}

export interface FieldRow {
  /** For example `spec.serverless.cloud`; `[]` marks the items of an array. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly about: string;
}

/** Deeper fields are in the OpenAPI document only. */
const DEPTH_MAX = 5;

/** How each bound reads; `#` stands for its value. */
const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'at least #',
  maximum: 'at most #',
  minLength: 'at least # characters',
  maxLength: 'at most # characters',
  minItems: 'at least # items',
  maxItems: 'at most # items',
  minProperties: 'at least # entries',
  maxProperties: 'at most # entries',
  pattern: 'pattern `#`',
  default: 'default `#`',
};

export function fieldsOf(schema: unknown): readonly Row[] {
  return isSchema(schema) ? rowsOf(schema, '', DEPTH_MAX) : [];
}

/** A short name of the type: `string`, `array of number`, `"dense" or "sparse"`. */
export function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return 'any';
  const { enum: choices, items, title, type } = schema;
  if (title !== undefined) return title;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts !== undefined) return [...new Set(parts.map(typeOf))].join(' or ');
  if (type === 'array') return `array of ${typeOf(items)}`;
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
}

function rowsOf(schema: JsonSchema, prefix: string, levels: number): readonly Row[] {
  if (levels === 0) return [];
  const required = schema.required ?? [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const row = { name, type: typeOf(property), required: required.includes(key), about: aboutOf(property) };
    return [row, ...rowsOf(property, `${name}.`, levels - 1)];
  });
  const items = schema.items === undefined ? [] : rowsOf(schema.items, `${itemPrefix(prefix)}`, levels - 1);
  const parts = (schema.allOf ?? []).flatMap((part) => rowsOf(part, prefix, levels - 1));
  return [...own, ...items, ...parts, ...alternativesOf(schema, prefix, levels - 1)];
}

/** The fields of each alternative under a heading; without headings where only one has fields. */
function alternativesOf({ anyOf = [], oneOf = [] }: JsonSchema, prefix: string, levels: number) {
  const choices = [...anyOf, ...oneOf]
    .map((part) => ({ part, rows: rowsOf(part, prefix, levels) }))
    .filter(({ rows }) => rows.length > 0);
  if (choices.length < 2) return choices.flatMap(({ rows }) => rows);
  return choices.flatMap(({ part, rows }, at) => {
    const place = prefix === '' ? '' : ` for ${prefix.slice(0, -1)}`;
    const count = at === 0 ? `one of ${choices.length}${place}` : `or${place}`;
    return [{ alternative: `${count}: ${labelOf(part)}` }, ...rows];
  });
}

/** The name of an alternative, or else what tells it from the others. */
function labelOf({ title, properties = {}, required = [] }: JsonSchema): string {
  if (title !== undefined) return title;
  const telling = Object.entries(properties).find(([, { const: value }]) => value !== undefined);
  if (telling === undefined) return required.join(', ');
  const [name, { const: value }] = telling;
  return `${name} ${JSON.stringify(value)}`;
}

/** `vectors.` -> `vectors[].` */
function itemPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}[].`;
}

/** The first paragraph of the description, and the bounds. */
function aboutOf(schema: JsonSchema): string {
  const bounds = Object.entries(BOUNDS)
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, words]) => words.replace('#', () => shownBound(schema[key])))
    .join(', ');
  const [paragraph] = (schema.description ?? '').split('\n\n');
  const sentence = bounds === '' ? '' : `${bounds.slice(0, 1).toUpperCase()}${bounds.slice(1)}.`;
  return [paragraph, sentence].filter((part) => part !== undefined && part !== '').join(' ');
}

function shownBound(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
