// Composes an example of a schema from those of its parts.
import { isJsonObject, type JsonSchema } from './json-schema.ts';

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  'date-time': '2026-07-01T09:30:00.000Z',
  uuid: '3f2b8c1e-5d47-4a90-9c6e-0b1a2d3e4f50',
  binary: '(the bytes of the file)',
};

/**
 * The schema's own first example, or one composed of its parts: all required fields, and those optional ones that have
 * examples of their own. Undefined where a part has nothing to go by.
 */
export function exampleOf(schema: JsonSchema): unknown {
  const own = ownExample(schema);
  if (own !== undefined) return own;
  const [alternative] = schema.anyOf ?? schema.oneOf ?? [];
  if (alternative !== undefined) return exampleOf(alternative);
  if (schema.allOf !== undefined) return merged(schema.allOf.map(exampleOf));
  switch (schema.type) {
    case 'array':
      return schema.maxItems === 0 ? [] : listOf(schema.items);
    case 'object':
      return objectOf(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return BY_FORMAT[schema.format ?? ''];
  }
}

/** Null is an example like any other; undefined means none. */
function ownExample({ examples = [], enum: choices = [], ...schema }: JsonSchema): unknown {
  if (examples.length > 0) return examples[0];
  if (schema.const !== undefined) return schema.const;
  return schema.default ?? choices[0];
}

function listOf(items: JsonSchema = {}): unknown {
  const item = exampleOf(items);
  return item === undefined ? undefined : [item];
}

function objectOf({ properties = {}, required = [] }: JsonSchema): unknown {
  const shown = Object.entries(properties).filter(
    ([name, field]) => required.includes(name) || field.examples !== undefined,
  );
  const members = shown.map(([name, field]) => [name, exampleOf(field)]);
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}

function merged(values: readonly unknown[]): unknown {
  return Object.assign({}, ...values.filter(isJsonObject));
}
