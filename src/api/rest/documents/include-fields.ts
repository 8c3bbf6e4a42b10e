// The include_fields of a request: which stored fields an answer shows.
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import type { ShownFields } from '../../../domain/records/document-text.ts';
import { stringList } from './document-body.ts';

const EVERY_FIELD = '*';

/**
 * Returns the fields to show; null for every stored one, which `*` stands for, whatever is named beside it.
 * @param absent what an absent or empty list means
 * @throws invalid-argument for anything but names, and for a text that is not stored
 */
export function readIncludeFields(value: unknown, schema: DocumentSchema, absent: ShownFields): ShownFields {
  const names = stringList(value, 'include_fields') ?? [];
  if (names.length === 0) return absent;
  if (names.includes(EVERY_FIELD)) return null;
  for (const name of names) refuseUnstored(name, schema);
  return new Set(names);
}

function refuseUnstored(name: string, { fields }: DocumentSchema): void {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field?.kind !== 'string' || field.storeText) return;
  throw invalid(
    `include_fields cannot name '${fieldText(name)}': its text is not stored (store_text is false)`,
  );
}
