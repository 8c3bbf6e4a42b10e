// The shared schemas of a document: each schema with a title appears once, under that name, and so do its parts.
import { exampleOf } from '../schema/example-of.ts';
import { type JsonSchema, mapParts } from '../schema/json-schema.ts';

/** How `Type.Record` writes "any key"; generators know `additionalProperties` only. */
const ANY_KEY = '^.*$';

export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The form in which the document refers to the schema. @throws Error for two schemas of the same title */
  place(schema: JsonSchema): JsonSchema {
    return this.#place(schema, undefined);
  }

  /** All schemas placed so far, by name. */
  schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @param partName the name of an object without a title that is part of a schema with one */
  #place(schema: JsonSchema, partName: string | undefined): JsonSchema {
    const name = schema.title ?? partName;
    const { title, ...placed } = mapParts(plainKeys(schema), (part, place) =>
      this.#place(part, name === undefined ? undefined : nameOfPart(name, part, place)),
    );
    const isShared = title !== undefined || (name !== undefined && hasFields(schema));
    if (!isShared || name === undefined) return placed;
    const example = exampleOf(schema);
    const entry = { ...placed, ...(example !== undefined && { examples: [example] }) };
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(entry)) {
      // Parts of different schemas can get the same name; the later one then stays in its place.
      if (title === undefined) return placed;
      throw new Error(`two schemas have the title ${name}`);
    }
    this.#schemas.set(name, entry);
    return { $ref: `#/components/schemas/${name}` };
  }
}

function hasFields({ type, properties = {} }: JsonSchema): boolean {
  return type === 'object' && Object.keys(properties).length > 0;
}

/** Alternatives are named by what tells them apart: generators would number them, and confuse their parts. */
function nameOfPart(name: string, part: JsonSchema, place: string): string {
  if (place === 'anyOf' || place === 'oneOf') return hasFields(part) ? `${name}${tellingName(part)}` : name;
  if (place === 'items') return `${name}Item`;
  if (place === 'additionalProperties') return `${name}Value`;
  return `${name}${pascalCase(place)}`;
}

function tellingName({ properties = {}, required = [] }: JsonSchema): string {
  const telling = Object.values(properties).find(({ const: value }) => typeof value === 'string');
  return pascalCase(String(telling?.const ?? required[0] ?? 'Other'));
}

function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

function plainKeys(schema: JsonSchema): JsonSchema {
  const { patternProperties, ...rest } = schema;
  const any = patternProperties?.[ANY_KEY];
  return any === undefined ? schema : { ...rest, additionalProperties: any };
}
