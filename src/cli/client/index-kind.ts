// What the records of an index are, by its description: vectors, texts that the server embeds, or documents.
import { type JsonObject, membersOf } from '../../domain/json.ts';

/** What the records of an index are: vectors, texts that the server embeds, or documents with a schema. */
export type IndexKind = 'vectors' | 'texts' | 'documents';

/** The fields of vectors, under the names that indexes of vectors give them. */
const VECTOR_FIELDS: ReadonlySet<string> = new Set(['_values', '_sparse_values']);
/** The text that an index for a model embeds. */
const EMBEDDED_TYPE = 'semantic_text';
const TEXT_TYPES: ReadonlySet<string> = new Set([EMBEDDED_TYPE, 'string']);

/** The kind of an index that was described in any version; without a schema, it is known by `embed` alone. */
export function kindOf({ embed, schema }: JsonObject): IndexKind {
  const fields = Object.entries(membersOf(membersOf(schema).fields));
  const isEmbedded = fields.some(([, field]) => membersOf(field).type === EMBEDDED_TYPE);
  if (isEmbedded || (embed !== undefined && embed !== null)) return 'texts';
  return fields.some(([name, field]) => isDocumentField(name, membersOf(field))) ? 'documents' : 'vectors';
}

/** The fields of an index of texts or documents that are texts. */
export function textFieldsOf({ embed, schema }: JsonObject): readonly string[] {
  const fields = Object.entries(membersOf(membersOf(schema).fields));
  const typed = fields.filter(([, field]) => TEXT_TYPES.has(String(membersOf(field).type)));
  const { text } = membersOf(membersOf(embed).field_map);
  return [...typed.map(([name]) => name), ...(typeof text === 'string' ? [text] : [])];
}

/** Indexes of vectors have other fields, too: those that filters use, which are `{filterable: true}` without a type. */
function isDocumentField(name: string, { type, full_text_search: text }: JsonObject): boolean {
  const hasText = text !== undefined && text !== null;
  return hasText || (typeof type === 'string' && !VECTOR_FIELDS.has(name));
}
