// Metadata as JSONB, beside its exact text: what filters compare.
import { positionsOf } from '../../domain/filter/geo.ts';
import { momentsOf } from '../../domain/filter/moment.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { MetadataValue } from '../../domain/records/record.ts';
import { toStoredText } from '../../platform/postgres/text-coding.ts';

/** Members of the fields with the moments and the places that texts tell, by field. No field has such a name. */
export const MOMENTS = '$moments';
export const POSITIONS = '$positions';

/** Whether a key of the fields is no field of the metadata, but what texts tell. */
export function isTold(stored: string): boolean {
  return stored === MOMENTS || stored === POSITIONS;
}

/**
 * JSON for the column of fields, without full-text fields, which filters do not compare. JSONB refuses NUL and halves of
 * surrogate pairs, so texts are coded.
 */
export function storedFields(metadataJson: string | null, texts: ReadonlySet<string>): string {
  const entries = Object.entries(parseMetadata(metadataJson)).filter(([field]) => !texts.has(field));
  const fields = entries.map(([field, value]) => [codedText(field), coded(value)] as const);
  const places = (value: MetadataValue) =>
    positionsOf(value).map(({ latitude, longitude }) => [latitude, longitude]);
  const told = [
    [MOMENTS, toldBy(entries, momentsOf)] as const,
    [POSITIONS, toldBy(entries, places)] as const,
  ].filter(([, byField]) => byField.length > 0);
  return JSON.stringify(
    Object.fromEntries([...fields, ...told.map(([name, byField]) => [name, Object.fromEntries(byField)])]),
  );
}

/** What the values of fields tell, without those that tell nothing. */
function toldBy<Told>(
  entries: readonly (readonly [string, MetadataValue])[],
  tell: (value: MetadataValue) => readonly Told[],
): readonly (readonly [field: string, told: readonly Told[]])[] {
  return entries
    .map(([field, value]) => [codedText(field), tell(value)] as const)
    .filter(([, told]) => told.length > 0);
}

/** A text as the fields have it. */
export function codedText(text: string): string {
  return toStoredText(text).toWellFormed();
}

function coded(value: MetadataValue): MetadataValue {
  if (typeof value === 'string') return codedText(value);
  return typeof value === 'object' ? value.map(codedText) : value;
}
