// The rule that a schema declares fields to search only; metadata needs no declaration.
import type { MetadataField } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import type { FieldBodies, FieldBody } from './field-body.ts';

const METADATA_TYPES: readonly MetadataField['type'][] = [
  'string',
  'float',
  'integer',
  'boolean',
  'string_list',
];
const SEARCH_FIELDS = 'dense_vector, sparse_vector, string with full_text_search';

export function isSearchable(body: FieldBody): boolean {
  const { type, full_text_search: search, embed, sparse_embed: sparse } = body;
  if (type !== 'string') return type === 'dense_vector' || type === 'sparse_vector';
  return search !== undefined || embed !== undefined || sparse !== undefined;
}

/** @throws invalid-argument for a schema without fields to search, and for others where they may not be declared */
export function requireSearchFields(
  bodies: FieldBodies,
  { isPreview }: { readonly isPreview: boolean },
): void {
  if (!Object.values(bodies).some(isSearchable)) {
    throw invalid(`Schema must contain at least one of the following field types: ${SEARCH_FIELDS}`);
  }
  for (const [name, body] of Object.entries(bodies)) {
    if (isSearchable(body)) refuseFilterable(name, body);
    else if (!isPreview || !isMetadataType(body.type)) throw notDeclarable(name, body);
  }
}

/** Clients of the preview may declare metadata; it is stored and filtered as any other. @throws invalid-argument */
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
