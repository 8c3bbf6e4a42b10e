// Builders of the JSON Schema forms that endpoints use: the library's types without loading the library
// (docs/decisions/002-libraries.md).
import type * as library from 'typebox';

export type { Static, TObject, TSchema } from 'typebox';

/** The static types are the library's own, so that a schema and its type cannot diverge. */
interface Builders
  extends Pick<
    typeof library,
    | 'Array'
    | 'Boolean'
    | 'Integer'
    | 'Intersect'
    | 'Literal'
    | 'Null'
    | 'Number'
    | 'Object'
    | 'Optional'
    | 'String'
    | 'Union'
    | 'Unknown'
    | 'Unsafe'
  > {
  /** Keys are always strings. */
  Record<Value extends library.TSchema>(
    key: library.TString,
    value: Value,
    options?: library.TObjectOptions,
  ): library.TRecord<library.TStringKey, Value>;
}

type Fields = Readonly<Record<string, unknown>>;

const ANY_KEY = '^.*$';

const BUILDERS = {
  Array: (items: object, options?: Fields) => schemaOf('Array', { type: 'array', items, ...options }),
  Boolean: (options?: Fields) => schemaOf('Boolean', { type: 'boolean', ...options }),
  Integer: (options?: Fields) => schemaOf('Integer', { type: 'integer', ...options }),
  Intersect: (allOf: readonly object[], options?: Fields) => schemaOf('Intersect', { allOf, ...options }),
  Literal: (value: unknown, options?: Fields) =>
    schemaOf('Literal', { type: typeof value, const: value, ...options }),
  Null: (options?: Fields) => schemaOf('Null', { type: 'null', ...options }),
  Number: (options?: Fields) => schemaOf('Number', { type: 'number', ...options }),
  Object: (properties: Readonly<Record<string, object>>, options?: Fields) =>
    schemaOf('Object', { type: 'object', ...requiredOf(properties), properties, ...options }),
  Optional: (schema: object) => marked(copyOf(schema), '~optional', true),
  Record: ({ pattern = ANY_KEY }: { readonly pattern?: string }, value: object, options?: Fields) =>
    schemaOf('Record', { type: 'object', patternProperties: { [pattern]: value }, ...options }),
  String: (options?: Fields) => schemaOf('String', { type: 'string', ...options }),
  Union: (anyOf: readonly object[], options?: Fields) => schemaOf('Union', { anyOf, ...options }),
  Unknown: (options?: Fields) => schemaOf('Unknown', { ...options }),
  Unsafe: (schema: object) => marked(copyOf(schema), '~unsafe', null),
} satisfies Readonly<Record<keyof Builders, unknown>>;

/**
 * Each builds the same as the library's builder of that name: fields, their order, marks. Only the library's types know
 * which schema has which static type; a test compares the two.
 */
export const Type = BUILDERS as unknown as Readonly<Builders>;

function requiredOf(properties: Readonly<Record<string, object>>): { readonly required?: readonly string[] } {
  const required = Object.entries(properties).flatMap(([name, schema]) =>
    '~optional' in schema ? [] : [name],
  );
  return required.length === 0 ? {} : { required };
}

function schemaOf(kind: string, fields: Fields): object {
  return marked(fields, '~kind', kind);
}

/** Marks are for builders and types only: neither JSON nor a spread copy has them. */
function marked(schema: object, mark: string, value: unknown): object {
  return Object.defineProperty(schema, mark, {
    value,
    configurable: true,
    writable: true,
    enumerable: false,
  });
}

function copyOf(schema: object): object {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
}
