// Lists the fields of a JSON Schema as flat rows with dotted names, for people.

export interface FieldRow {
  /** For example `spec.serverless.cloud`; `[]` marks the items of an array. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly about: string;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly [bound: string]: unknown;
}

/** Deeper fields are in the OpenAPI document only. */
const DEPTH_MAX = 5;

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  minItems: 'items at least',
  maxItems: 'items at most',
  minProperties: 'entries at least',
  maxProperties: 'entries at most',
  pattern: 'pattern',
  default: 'default',
};

export function fieldsOf(schema: unknown): readonly FieldRow[] {
  return isSchema(schema) ? rowsOf(schema, '', DEPTH_MAX) : [];
}

/** A short name of the type: `string`, `array of number`, `"dense" or "sparse"`. */
export function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return 'any';
  const { enum: choices, items, type } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts !== undefined) return [...new Set(parts.map(typeOf))].join(' or ');
  if (type === 'array') return `array of ${typeOf(items)}`;
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
}

function rowsOf(schema: Schema, prefix: string, levels: number): readonly FieldRow[] {
  if (levels === 0) return [];
  const required = schema.required ?? [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const row = { name, type: typeOf(property), required: required.includes(key), about: aboutOf(property) };
    return [row, ...rowsOf(property, `${name}.`, levels - 1)];
  });
  const items = schema.items === undefined ? [] : rowsOf(schema.items, `${itemPrefix(prefix)}`, levels - 1);
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return unique([...own, ...items, ...parts.flatMap((part) => rowsOf(part, prefix, levels - 1))]);
}

/** `vectors.` -> `vectors[].` */
function itemPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}[].`;
}

/** Alternatives may repeat a field; only its first row is kept. */
function unique(rows: readonly FieldRow[]): readonly FieldRow[] {
  const seen = new Set<string>();
  return rows.filter(({ name }) => !seen.has(name) && seen.add(name));
}

function aboutOf(schema: Schema): string {
  const bounds = Object.entries(BOUNDS)
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, words]) => `${words} ${String(schema[key])}`);
  const sentences = [schema.description, bounds.join(', ')].filter(
    (part) => part !== undefined && part !== '',
  );
  return sentences.join(' ');
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
