// Reads the name of a metadata field that a search counts or groups by.
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';

/**
 * @param name of the key, for messages
 * @param schema null for indexes of vectors, whose fields are all metadata
 * @throws invalid-argument for anything but the name of a metadata field
 */
export function metadataField(value: unknown, name: string, schema: DocumentSchema | null): string {
  if (typeof value !== 'string' || value === '') throw invalid(`${name} must be the name of a field`);
  const fields = schema?.fields ?? {};
  const declared = Object.hasOwn(fields, value) ? fields[value] : undefined;
  if (declared === undefined || declared.kind === 'metadata') return value;
  throw invalid(`${name}: '${fieldText(value)}' holds texts or vectors; a metadata field is expected`);
}
