// Which settings of the time to live fit an index.
import { invalid } from '../faults.ts';
import type { Index, MetadataSchema } from '../index-model.ts';
import { profileOf } from '../index-model.ts';
import { EXPIRY_FIELD_CHARS_MAX } from '../limits.ts';
import { LIFETIME_NAMESPACES_MAX, LIFETIME_SECONDS_MAX, type TimeToLive } from './time-to-live.ts';

/** @throws invalid-argument */
export function checkTimeToLive(index: Index, { field, seconds, namespaces }: TimeToLive): void {
  checkField(index, field);
  checkSeconds('seconds', seconds);
  const own = Object.entries(namespaces);
  if (own.length > LIFETIME_NAMESPACES_MAX)
    throw invalid(`namespaces must have at most ${LIFETIME_NAMESPACES_MAX} entries, got ${own.length}`);
  for (const [name, each] of own) checkSeconds(`namespaces['${name}']`, each);
}

/** Whether filters can use the field in a namespace with this schema of its own, null for none. */
export function isFilterable(schema: MetadataSchema | null, { field }: Pick<TimeToLive, 'field'>): boolean {
  return schema === null || Object.hasOwn(schema.fields, field);
}

function checkSeconds(what: string, seconds: number | null): void {
  if (seconds === null) return;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= LIFETIME_SECONDS_MAX) return;
  throw invalid(`${what} must be a whole number from 1 to ${LIFETIME_SECONDS_MAX}, or null, got ${seconds}`);
}

function checkField(index: Index, field: string): void {
  if (field === '' || field.length > EXPIRY_FIELD_CHARS_MAX || field.startsWith('$') || field.startsWith('_'))
    throw invalid(
      `field must be the name of a metadata field, 1 to ${EXPIRY_FIELD_CHARS_MAX} characters that begin with neither '$' nor '_', got '${field.slice(0, EXPIRY_FIELD_CHARS_MAX)}'`,
    );
  const { filterableFields, documents } = profileOf(index);
  if (filterableFields !== null && !filterableFields.includes(field))
    throw invalid(`field '${field}' is not among those that filters can use in index ${index.name}`);
  const declared =
    documents !== null && Object.hasOwn(documents.fields, field) ? documents.fields[field] : undefined;
  const holdsNumbers = declared === undefined || (declared.kind === 'metadata' && NUMBERS.has(declared.type));
  if (!holdsNumbers || field === index.embed?.textField)
    throw invalid(`field '${field}' of index ${index.name} does not hold numbers`);
}

const NUMBERS: ReadonlySet<string> = new Set(['float', 'integer']);
