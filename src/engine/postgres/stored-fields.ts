// Metadata as JSONB, beside its exact text: what filters compare.
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { MetadataValue } from '../../domain/records/record.ts';
import { toStoredText } from '../../platform/postgres/text-coding.ts';

/**
 * JSON for the column of fields, without full-text fields, which filters do not compare. JSONB refuses NUL and halves of surrogate pairs, so texts
 * are coded.
 */
export function storedFields(metadataJson: string | null, texts: ReadonlySet<string>): string {
  const entries = Object.entries(parseMetadata(metadataJson)).filter(([field]) => !texts.has(field));
  return JSON.stringify(
    Object.fromEntries(entries.map(([field, value]) => [codedText(field), coded(value)])),
  );
}

/** A text as the fields have it. */
export function codedText(text: string): string {
  return toStoredText(text).toWellFormed();
}

function coded(value: MetadataValue): MetadataValue {
  if (typeof value === 'string') return codedText(value);
  return typeof value === 'object' ? value.map(codedText) : value;
}
