// The rules for record ids and namespace names: 1 to 512 ASCII characters without NUL.
import { invalid } from '../faults.ts';
import { NAMESPACE_NAME_CHARS_MAX, RECORD_ID_CHARS_MAX } from '../limits.ts';

/** The shown name of the default namespace; its stored name is the empty string. */
export const DEFAULT_NAMESPACE_SHOWN = '__default__';

const ASCII = /^\p{ASCII}*$/u;

/** @throws invalid-argument unless `value` is a record id */
export function checkRecordId(value: unknown): string {
  return checkName(value, 'Vector ID', RECORD_ID_CHARS_MAX);
}

/** @throws invalid-argument unless `value` is the id of a document */
export function checkDocumentId(value: unknown): string {
  return checkName(value, 'Document _id', RECORD_ID_CHARS_MAX);
}

/**
 * Returns the stored name of a namespace: absent, `""` and `__default__` all name the default namespace.
 * @throws invalid-argument
 */
export function namespaceToStored(value: unknown): string {
  if (value === undefined || value === null || value === '' || value === DEFAULT_NAMESPACE_SHOWN) return '';
  return checkName(value, 'Namespace', NAMESPACE_NAME_CHARS_MAX);
}

/** Returns the shown name of a stored namespace name. */
export function namespaceToShown(stored: string): string {
  return stored === '' ? DEFAULT_NAMESPACE_SHOWN : stored;
}

/** Reads a prefix to list by: like a name, but possibly empty. @throws invalid-argument */
export function checkPrefix(value: string): string {
  return value === '' ? '' : checkName(value, 'prefix', RECORD_ID_CHARS_MAX);
}

function checkName(value: unknown, what: string, charsMax: number): string {
  if (typeof value !== 'string') throw invalid(`${what} must be a string`);
  if (value.length < 1 || value.length > charsMax) {
    throw invalid(`${what} must be 1 to ${charsMax} characters long, got ${value.length}`);
  }
  if (!ASCII.test(value) || value.includes('\0'))
    throw invalid(`${what} must be ASCII without NUL characters`);
  return value;
}
