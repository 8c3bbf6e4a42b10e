// The shape of a body: a schema without its bounds and choices, which separate value checks enforce.
import type { TSchema } from 'typebox';

export type JsonType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** The parts of JSON Schema that concern types. */
export interface Shape {
  readonly type?: JsonType;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
}

const shapes = new WeakMap<TSchema, Shape>();

/** Drops everything but types, required fields and whether objects are closed. */
export function shapeOf(schema: TSchema): Shape {
  const shape = shapes.get(schema) ?? strip(schema);
  shapes.set(schema, shape);
  return shape;
}

function strip({ type, properties, required, additionalProperties, items }: Shape): Shape {
  const named = Object.entries(properties ?? {}).map(([name, child]) => [name, strip(child)]);
  return {
    ...(type === undefined ? {} : { type }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(named) }),
    ...(required === undefined ? {} : { required }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? strip(additionalProperties) : additionalProperties,
        }),
    ...(items === undefined ? {} : { items: strip(items) }),
  };
}

/** Removes null from optional fields, because some clients send every field they know. */
export function withoutNulls(shape: Shape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(shape.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  const { properties = {}, required = [], additionalProperties } = shape;
  const known = new Map(Object.entries(properties));
  const other = typeof additionalProperties === 'object' ? additionalProperties : {};
  const kept = Object.entries(value).filter(
    ([name, member]) => member !== null || required.includes(name) || !known.has(name),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [name, withoutNulls(known.get(name) ?? other, member)]),
  );
}
