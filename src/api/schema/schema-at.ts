// A schema as one version of the API has it: without the fields that came later.
import { type ApiVersion, isAtLeast } from '../../domain/api-version.ts';
import { isJsonObject, isSchema, type JsonSchema, mapParts } from './json-schema.ts';

/** Leaves out each field whose `x-since` is later than the version, in the schema and in its examples. */
export function schemaAt(schema: JsonSchema, version: ApiVersion): JsonSchema {
  const { properties, required, examples } = schema;
  const present = {
    ...schema,
    ...(properties !== undefined && { properties: presentFields(properties, version) }),
    ...(required !== undefined && {
      required: required.filter((name) => isPresent(properties?.[name] ?? {}, version)),
    }),
    ...(examples !== undefined && { examples: examples.map((value) => exampleAt(value, schema, version)) }),
  };
  const { 'x-since': since, ...rest } = mapParts(present, (part) => schemaAt(part, version));
  if (since === undefined) return rest;
  const description = rest.description === undefined ? '' : `${rest.description} `;
  return { ...rest, description: `${description}Since ${since}.` };
}

function presentFields(fields: Readonly<Record<string, JsonSchema>>, version: ApiVersion) {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => isPresent(field, version)));
}

function isPresent({ 'x-since': since }: JsonSchema, version: ApiVersion): boolean {
  return since === undefined || isAtLeast(version, since);
}

/** An example of the newest version, as the given version would have it. */
export function exampleAt(value: unknown, schema: JsonSchema, version: ApiVersion): unknown {
  if (Array.isArray(value)) return value.map((item) => exampleAt(item, schema.items ?? {}, version));
  if (!isJsonObject(value)) return value;
  const fields = fieldsOf(schema);
  const other = isSchema(schema.additionalProperties) ? schema.additionalProperties : {};
  const shown = Object.entries(value).flatMap(([name, member]) => {
    const field = fields.get(name) ?? other;
    return isPresent(field, version) ? [[name, exampleAt(member, field, version)] as const] : [];
  });
  return Object.fromEntries(shown);
}

/** The fields of an object and of all its alternatives. */
function fieldsOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return new Map([
    ...parts.flatMap((part) => [...fieldsOf(part)]),
    ...Object.entries(schema.properties ?? {}),
  ]);
}
