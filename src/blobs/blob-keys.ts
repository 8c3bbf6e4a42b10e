// The rule for blob keys: paths that mean the same in every storage and never leave the folder.
import { BlobKeyInvalid } from './port.ts';

export const BLOB_KEY_CHARS_MAX = 512;
/** The limit of file systems. */
const SEGMENT_CHARS_MAX = 200;
const SEGMENT = /^[A-Za-z0-9._=-]+$/;

/** @throws BlobKeyInvalid */
export function checkBlobKey(key: string): void {
  if (key.length < 1 || key.length > BLOB_KEY_CHARS_MAX) {
    throw new BlobKeyInvalid(`has 1 to ${BLOB_KEY_CHARS_MAX} characters, not ${key.length}`);
  }
  for (const segment of key.split('/')) checkSegment(segment);
}

/** A prefix is the beginning of a key; it may end anywhere after its last slash. @throws BlobKeyInvalid */
export function checkBlobPrefix(prefix: string): void {
  if (prefix.length > BLOB_KEY_CHARS_MAX) throw new BlobKeyInvalid('begins with a shorter prefix');
  const segments = prefix.split('/');
  const last = segments.pop() ?? '';
  for (const segment of segments) checkSegment(segment);
  if (last !== '' && !SEGMENT.test(last)) throw new BlobKeyInvalid('consists of letters, digits and ._=-');
}

function checkSegment(segment: string): void {
  if (!SEGMENT.test(segment))
    throw new BlobKeyInvalid('consists of letters, digits and ._=- between single slashes');
  // Names with a leading dot are reserved for unfinished files.
  if (segment.startsWith('.')) throw new BlobKeyInvalid('has no part that starts with a dot');
  if (segment.length > SEGMENT_CHARS_MAX) {
    throw new BlobKeyInvalid(`has parts of at most ${SEGMENT_CHARS_MAX} characters`);
  }
}
