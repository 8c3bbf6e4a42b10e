// Sends the schema of a document index with every task as text, which clones in a microsecond; a schema of 100 fields
// takes 200 as an object (measured). Both ends remember what belongs to a text: indexes have few schemas.
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { type JsonText, jsonText, parseJsonText } from '../../../domain/json.ts';
import { RecentMap } from '../../../domain/recent-map.ts';

export type PackedSchema = JsonText<DocumentSchema>;

/** Schemas that a thread remembers, twice. */
const SCHEMAS_REMEMBERED = 256;

/** A schema never changes, so its object stands for its text. */
const packed = new WeakMap<DocumentSchema, PackedSchema>();
const unpacked = new RecentMap<DocumentSchema>(SCHEMAS_REMEMBERED);

export function packSchema(schema: DocumentSchema | null): PackedSchema | null {
  if (schema === null) return null;
  const known = packed.get(schema);
  if (known !== undefined) return known;
  const text = jsonText(schema);
  packed.set(schema, text);
  return text;
}

export function unpackSchema(text: PackedSchema | null): DocumentSchema | null {
  return text === null ? null : (unpacked.get(text) ?? unpacked.set(text, parseJsonText(text)));
}
