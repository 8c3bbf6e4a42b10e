// What kind of index it is: with vectors, with texts that a model embeds, or with documents.
import type { Index } from '../../api/types.ts';

/** The types of fields that only document indexes have. */
const DOCUMENT_TYPES: ReadonlySet<string> = new Set(['string', 'float', 'bool', 'boolean', 'string_list']);
/** The fields of vectors, under the names that vector indexes give them. */
const VECTOR_FIELDS: ReadonlySet<string> = new Set(['_values', '_sparse_values']);

export function isDocumentIndex({ embed, schema }: Index): boolean {
  if (embed !== undefined) return false;
  return Object.entries(schema?.fields ?? {}).some(
    ([name, { type = '', full_text_search: text }]) =>
      text !== undefined ||
      DOCUMENT_TYPES.has(type) ||
      (type.endsWith('_vector') && !VECTOR_FIELDS.has(name)),
  );
}

/** The field whose text is embedded; undefined without a model. */
export function textFieldOf({ embed }: Index): string | undefined {
  return embed?.field_map.text;
}

/** The fields that are searched by their words; none without documents. */
export function textFieldsOf({ schema }: Index): readonly string[] {
  return Object.entries(schema?.fields ?? {}).flatMap(([name, { full_text_search: text }]) =>
    text === undefined || text === null ? [] : [name],
  );
}
