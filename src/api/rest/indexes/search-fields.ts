// The rule that a schema declares fields to search only; metadata needs no declaration.
import type { MetadataField } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { unknownVariant } from './deserialize.ts';
import type { FieldBodies, FieldBody, SchemaContext } from './field-body.ts';

const METADATA_TYPES: readonly MetadataField['type'][] = [
  'string',
  'float',
  'integer',
  'boolean',
  'string_list',
];
/** Types of fields that create bodies or responses have had: refused with a reason, and any other as unknown. */
const KNOWN_TYPES: readonly string[] = [
  'dense_vector',
  'sparse_vector',
  'string',
  'string_list',
  'float',
  'number',
  'boolean',
  'semantic_text',
];
const SEARCH_FIELDS = 'dense_vector, sparse_vector, string with full_text_search';

export function isSearchable(body: FieldBody): boolean {
  const { type, full_text_search: search, embed, sparse_embed: sparse } = body;
  if (type !== 'string') return type === 'dense_vector' || type === 'sparse_vector';
  return search !== undefined || embed !== undefined || sparse !== undefined;
}

/**
 * @throws invalid-argument for a schema without fields to search, and for others where they may not be declared;
 *   body-not-deserializable for an unknown type
 */
export function requireSearchFields(
  bodies: FieldBodies,
  { isPreview, bodyText }: Pick<SchemaContext, 'isPreview' | 'bodyText'>,
): void {
  for (const [name, { type }] of Object.entries(bodies)) {
    if (KNOWN_TYPES.includes(type) || (isPreview && isMetadataType(type))) continue;
    throw unknownVariant(type, KNOWN_TYPES, { path: ['schema', 'fields', name, 'type'], bodyText });
  }
  if (!Object.values(bodies).some(isSearchable)) {
    throw invalid(`Schema must contain at least one of the following field types: ${SEARCH_FIELDS}`);
  }
  for (const [name, body] of Object.entries(bodies)) {
    if (isSearchable(body)) refuseFilterable(name, body);
    else if (!isPreview || !isMetadataType(body.type)) throw notDeclarable(name, body);
  }
}

/** A declared metadata field, which is stored and filtered like undeclared ones. @throws invalid-argument */
export function metadataField(name: string, body: FieldBody): MetadataField {
  const { type, filterable = false } = body;
  if (!isMetadataType(type)) throw notDeclarable(name, body);
  return { kind: 'metadata', type, filterable };
}

function refuseFilterable(name: string, { filterable }: FieldBody): void {
  if (filterable === undefined) return;
  throw invalid(`Field '${name}': filterable cannot be combined with a search field.`);
}

function isMetadataType(type: string): type is MetadataField['type'] {
  return METADATA_TYPES.some((each) => each === type);
}

function notDeclarable(name: string, { type }: FieldBody): Error {
  const what = type === 'string' ? 'string without full_text_search' : type;
  return invalid(
    `Field '${name}': type ${what} cannot be declared in a schema, which holds only fields to search: ${SEARCH_FIELDS}, embed or sparse_embed.`,
  );
}
