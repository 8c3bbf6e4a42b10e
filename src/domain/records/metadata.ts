// The metadata of a record: flat, typed, bounded in size, stored as JSON text.

import { Buffer } from 'node:buffer';
import { fault, invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import { isJsonObject, parseOwnJson } from '../json.ts';
import { EXPIRY_FIELD_CHARS_MAX, METADATA_BYTES_MAX, MOMENT_SECONDS_MAX } from '../limits.ts';
import type { Metadata, MetadataValue } from './record.ts';

/** Maximum characters of an invalid value that an error message quotes. */
const SHOWN_CHARS_MAX = 200;

/**
 * Checks keys and value types; the object itself is returned, own keys such as `__proto__` included.
 * @throws bad-metadata-value, invalid-argument
 */
export function checkMetadata(json: unknown): Metadata {
  if (!isJsonObject(json)) {
    throw invalid('Metadata must be an object');
  }
  for (const [field, value] of Object.entries(json)) {
    if (field.startsWith('$'))
      throw invalid(`Metadata field names must not start with '$', got '${fieldText(field)}'`);
    if (!isMetadataValue(value))
      throw fault('bad-metadata-value', { field: fieldText(field), value: show(value) });
  }
  // Each value has just been checked.
  return json as Metadata;
}

/** That the number of no certain field is left out of the size of metadata, but the longest that may be a moment. */
export const ANY_MOMENT = Symbol('any moment');
/** Of 2001. The server adds none before it. */
const MOMENT_SECONDS_MIN = 1_000_000_000;

/**
 * What is left out of the size of metadata, since the server may have added it: the number of the field that says when
 * records expire; nothing where no field is named.
 */
export type Uncounted = string | typeof ANY_MOMENT | undefined;

/** Canonical text of metadata. @throws metadata-too-big */
export function metadataText(metadata: Metadata, uncounted?: Uncounted): string {
  const text = JSON.stringify(metadata);
  const bytes = countedBytes(metadata, { bytes: Buffer.byteLength(text), uncounted });
  if (bytes > METADATA_BYTES_MAX) throw fault('metadata-too-big', { bytes });
  return text;
}

/**
 * The bytes of metadata that count for its limit.
 * @param text.bytes of `metadata` as JSON; no more than the limit count as they are
 */
export function countedBytes(
  metadata: Metadata,
  { bytes, uncounted }: { readonly bytes: number; readonly uncounted: Uncounted },
): number {
  if (bytes <= METADATA_BYTES_MAX || uncounted === undefined) return bytes;
  if (uncounted !== ANY_MOMENT) return bytes - numberBytes(metadata, uncounted);
  let longest = 0;
  for (const [field, value] of Object.entries(metadata))
    if (mayBeMoment(value)) longest = Math.max(longest, numberBytes(metadata, field));
  return bytes - longest;
}

function mayBeMoment(value: MetadataValue): boolean {
  return (
    Number.isInteger(value) && Number(value) >= MOMENT_SECONDS_MIN && Number(value) <= MOMENT_SECONDS_MAX
  );
}

/** The bytes that the number in a field takes of the text of metadata; 0 where there is none. */
function numberBytes(metadata: Metadata, field: string): number {
  if (field.length > EXPIRY_FIELD_CHARS_MAX || !Object.hasOwn(metadata, field)) return 0;
  const value = metadata[field];
  return typeof value === 'number' ? Buffer.byteLength(`${JSON.stringify(field)}:${value},`) : 0;
}

/**
 * The metadata of a record to store; null when absent.
 * @throws as the functions above
 */
export function readMetadata(json: unknown, uncounted?: Uncounted): string | null {
  return json === undefined || json === null ? null : metadataText(checkMetadata(json), uncounted);
}

/** Parses stored metadata; empty when there is none. */
export function parseMetadata(stored: string | null): Metadata {
  return stored === null ? {} : parseOwnJson(stored);
}

export function isMetadataValue(value: unknown): value is MetadataValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function show(value: unknown): string {
  // JSON has no Infinity: a number that overflowed would be shown as null.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}...` : text;
}
