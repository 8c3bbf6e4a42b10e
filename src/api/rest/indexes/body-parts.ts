// Parts shared by several request bodies: their schemas, and the checks of their values.
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import { invalid } from '../../../domain/faults.ts';
import type { DeletionProtection } from '../../../domain/index-model.ts';
import {
  INDEX_NAME_CHARS_MAX,
  METADATA_SCHEMA_FIELDS_MAX,
  TAG_KEY_CHARS_MAX,
  TAG_VALUE_CHARS_MAX,
  TAGS_MAX,
} from '../../../domain/limits.ts';
import { NAME_PATTERN } from '../../../domain/names.ts';
import type { TagAlphabet } from '../../../domain/tags.ts';
import { type Static, type TSchema, Type } from '../../schema/type.ts';

/** An object whose keys the caller chooses. */
export function mapOf<Schema extends TSchema>(schema: Schema, description: string, options: object = {}) {
  const map = Type.Object({}, { additionalProperties: schema, description, ...options });
  return Type.Unsafe<Readonly<Record<string, Static<Schema>>>>(map);
}

/** One of a few strings. Any string deserializes; a separate value check refuses others. */
export function choice(values: readonly string[], description?: string) {
  return Type.String({ enum: [...values], ...(description === undefined ? {} : { description }) });
}

export const Name = Type.String({
  minLength: 1,
  maxLength: INDEX_NAME_CHARS_MAX,
  pattern: NAME_PATTERN,
  description: 'Unique in the project.',
  examples: ['books'],
});

export const DeletionProtectionBody = choice(['enabled', 'disabled'], 'Default: disabled.');

export const TagsBody = mapOf(
  Type.String({ maxLength: TAG_VALUE_CHARS_MAX }),
  `At most ${TAGS_MAX} tags. Keys: at most ${TAG_KEY_CHARS_MAX} alphanumeric characters, '_' and '-'. ` +
    "Values: alphanumeric characters, ';@_-.+' and spaces. An empty value removes the key.",
  { examples: [{ team: 'search' }] },
);

export const MetadataSchemaBody = Type.Object(
  {
    fields: mapOf(
      Type.Object({ filterable: Type.Boolean({ description: 'Must be true.' }) }),
      `At most ${METADATA_SCHEMA_FIELDS_MAX} fields.`,
    ),
  },
  { description: 'If given, filters can use these metadata fields only.' },
);

/** @throws invalid-argument */
export function deletionProtectionNamed(name: string): DeletionProtection {
  if (name !== 'enabled' && name !== 'disabled') {
    throw invalid('Invalid deletion_protection, value should be either enabled or disabled.');
  }
  return name;
}

/** Tag values may have more characters since 2026-07, for callers that request that version. */
export function tagAlphabet(version: RequestedVersion): TagAlphabet {
  return isAtLeast(version, '2026-07') ? 'printable' : 'standard';
}
