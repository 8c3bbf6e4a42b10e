// A namespace alias: a second name of a namespace, which reads resolve and writes may not use.
import { fault } from '../faults.ts';
import { ALIAS_NAME_CHARS_MAX, NAMESPACE_NAME_CHARS_MAX } from '../limits.ts';
import { DEFAULT_NAMESPACE_SHOWN } from '../records/record-id.ts';

export interface NamespaceAlias {
  readonly indexId: string;
  readonly name: string;
  /** The stored name of the namespace. */
  readonly target: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; advances with every repoint. */
  readonly updatedAt: string;
}

/** Printable ASCII without the characters that URLs and queries give a meaning. */
const NAME = /^[!-~]+$/;
const RESERVED_CHARS = /[/?#%&=\\;+]/;
const RESERVED_NAMES: readonly unknown[] = ['.', '..', DEFAULT_NAMESPACE_SHOWN];
const ASCII = /^\p{ASCII}*$/u;

/** @throws alias-name-invalid */
export function checkAliasName(value: unknown): string {
  const isName =
    typeof value === 'string' &&
    value.length <= ALIAS_NAME_CHARS_MAX &&
    NAME.test(value) &&
    !RESERVED_CHARS.test(value) &&
    !RESERVED_NAMES.includes(value);
  if (!isName) throw fault('alias-name-invalid');
  return value;
}

/**
 * Returns the stored name of an alias's target.
 * @throws target-namespace-required, target-namespace-too-long, target-namespace-invalid
 */
export function checkTarget(value: unknown): string {
  if (value === undefined || value === null || value === '') throw fault('target-namespace-required');
  if (typeof value !== 'string' || !ASCII.test(value) || value.includes('\0')) {
    throw fault('target-namespace-invalid');
  }
  if (value.length > NAMESPACE_NAME_CHARS_MAX)
    throw fault('target-namespace-too-long', { length: value.length });
  return value === DEFAULT_NAMESPACE_SHOWN ? '' : value;
}
