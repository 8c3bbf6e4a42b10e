// The rules for names and e-mail addresses in administration.
import { invalid } from '../faults.ts';
import { EMAIL_CHARS_MAX } from './limits.ts';

/** Characters that a terminal, a log line or a page could interpret as something other than text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** One @, no spaces, a dot in the domain: enough to catch typos; only the mail itself proves the address. */
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]]+\.[^\s@"(),:;<>[\\\].]+$/;

/**
 * Checks a display name; counts characters as code points.
 * @throws invalid-argument
 */
export function checkDisplayName(name: string, charsMax: number): string {
  const chars = [...name].length;
  if (chars < 1 || chars > charsMax) {
    throw invalid(`name must be 1 to ${charsMax} characters long, got ${chars}`);
  }
  if (CONTROL_CHARACTERS.test(name) || LONE_SURROGATE.test(name)) {
    throw invalid('name must not contain control characters');
  }
  return name;
}

/** @throws invalid-argument */
export function checkEmail(email: string): string {
  if (email.length > EMAIL_CHARS_MAX) {
    throw invalid(`email must be at most ${EMAIL_CHARS_MAX} characters long`);
  }
  if (CONTROL_CHARACTERS.test(email) || !EMAIL.test(email)) throw invalid('email is not a valid address');
  return email;
}

/** Addresses that differ only in case belong to one person. */
export function emailKey(email: string): string {
  return email.toLowerCase();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the stored form of an id that a caller sent. @throws invalid-argument */
export function checkUuid(id: string, what: string): string {
  if (!UUID.test(id)) throw invalid(`${what} must be a UUID`);
  return id.toLowerCase();
}
