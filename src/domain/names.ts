// The rule for names of indexes, collections and backups.
import { invalid } from './faults.ts';
import { INDEX_NAME_CHARS_MAX } from './limits.ts';

/** For documentation; `checkName` distinguishes the two ways to violate it. */
export const NAME_PATTERN = '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$';
const NAME = new RegExp(NAME_PATTERN);

/** @throws invalid-argument that states the violated rule */
export function checkName(name: string): void {
  if (name.length < 1 || name.length > INDEX_NAME_CHARS_MAX) {
    throw invalid(`Name must be 1 to ${INDEX_NAME_CHARS_MAX} characters long, got ${name.length}.`);
  }
  if (!NAME.test(name)) {
    throw invalid(
      "Name must consist of lower case alphanumeric characters or '-', and must not start or end with '-'.",
    );
  }
}
