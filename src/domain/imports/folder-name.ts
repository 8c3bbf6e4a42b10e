// Folder names for namespaces of any name.
import { createHash } from 'node:crypto';
import { CLAIM_NAME, MANIFEST_NAME } from './import-layout.ts';

/** File systems limit names to 255 bytes. */
const FOLDER_CHARS_MAX = 120;
const KEPT_CHARS = 80;
const DIGEST_CHARS = 32;
const UPPER_CASE = /[A-Z]/;
/** Of files beside the folders. */
const TAKEN: ReadonlySet<string> = new Set([MANIFEST_NAME, CLAIM_NAME]);

/**
 * Returns a name of letters, digits and `._=-`, unique also on disks that do not tell upper from lower case: other
 * characters become `=` and two hexadecimal digits; a long name, one with upper-case letters, or that of a file beside
 * the folders ends in `=h`, which no character becomes, and a digest of the whole name.
 */
export function folderFor(shownName: string): string {
  const encoded = shownName
    .replaceAll(/[^A-Za-z0-9._-]/g, encode)
    // A leading dot hides a folder from some programs, and one or two dots alone are not a name.
    .replace(/^[.]/, encode);
  const isKept = encoded.length <= FOLDER_CHARS_MAX && !UPPER_CASE.test(encoded) && !TAKEN.has(encoded);
  if (isKept) return encoded;
  const digest = createHash('sha256').update(shownName).digest('hex').slice(0, DIGEST_CHARS);
  return `${encoded.slice(0, KEPT_CHARS)}=h${digest}`;
}

function encode(character: string): string {
  return `=${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
