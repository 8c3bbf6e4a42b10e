// The shared schemas of a document: each schema with a title appears once, under that name.
import { exampleOf } from '../schema/example-of.ts';
import { type JsonSchema, mapParts } from '../schema/json-schema.ts';

/** How `Type.Record` writes "any key"; generators know `additionalProperties` only. */
const ANY_KEY = '^.*$';

export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The form in which the document refers to the schema. @throws Error for two schemas of the same title */
  place(schema: JsonSchema): JsonSchema {
    const { title, ...rest } = mapParts(plainKeys(schema), (part) => this.place(part));
    if (title === undefined) return rest;
    const example = exampleOf(schema);
    const entry = { ...rest, ...(example !== undefined && { examples: [example] }) };
    const known = this.#schemas.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(entry)) {
      throw new Error(`two schemas have the title ${title}`);
    }
    this.#schemas.set(title, entry);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** All schemas placed so far, by name. */
  schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function plainKeys(schema: JsonSchema): JsonSchema {
  const { patternProperties, ...rest } = schema;
  const any = patternProperties?.[ANY_KEY];
  return any === undefined ? schema : { ...rest, additionalProperties: any };
}
