// Addresses of folders that imports read and exports write, and the roots that must contain them.
import { fileURLToPath } from 'node:url';

/** A local folder, or the objects with a prefix in a bucket. */
export type StorageLocation =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string /** Without a slash at either end. */;
      readonly prefix: string;
    };

export class BadStorageUri extends Error {}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** S3 has no such buckets: they would look like addresses, or have empty labels. */
const NO_BUCKET = /\.\.|^\d+\.\d+\.\d+\.\d+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** @throws BadStorageUri, whose message completes a sentence that begins with the name of the field */
export function parseStorageUri(uri: string): StorageLocation {
  if (CONTROL_CHARACTERS.test(uri)) throw new BadStorageUri('must not have control characters');
  if (uri.startsWith('file:///')) return { kind: 'file', path: filePath(uri) };
  const [, bucket, rest] = /^s3:\/\/([^/?#]*)(.*)$/s.exec(uri) ?? [];
  if (bucket === undefined || rest === undefined) {
    throw new BadStorageUri('must begin with s3:// or file://; this server reads from no other storage');
  }
  if (!BUCKET.test(bucket) || NO_BUCKET.test(bucket))
    throw new BadStorageUri('must name a bucket after s3://');
  return { kind: 's3', bucket, prefix: keyPrefix(rest) };
}

function filePath(uri: string): string {
  // If a server decoded these, they would name other folders than they show.
  if (/%2f|%5c|%2e|%00/i.test(uri)) throw new BadStorageUri('must not have encoded slashes or dots');
  if (/(^|\/)\.\.?(\/|$)/.test(uri.slice('file:'.length)))
    throw new BadStorageUri("must not have the parts '.' and '..'");
  try {
    return trimmed(fileURLToPath(uri));
  } catch {
    throw new BadStorageUri('must be file:// followed by an absolute path');
  }
}

function keyPrefix(rest: string): string {
  const parts = rest.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '.' || part === '..')) {
    throw new BadStorageUri("must not have the parts '.' and '..'");
  }
  return parts.join('/');
}

/** Removes trailing slashes. */
function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
}

/** True when the location is one of the roots or inside one. Does not resolve symbolic links. */
export function isUnder(place: StorageLocation, roots: readonly StorageLocation[]): boolean {
  return roots.some((root) => {
    if (place.kind === 'file') return root.kind === 'file' && isInside(place.path, root.path);
    return root.kind === 's3' && root.bucket === place.bucket && isInside(place.prefix, root.prefix);
  });
}

function isInside(path: string, root: string): boolean {
  return root === '' || root === '/' || path === root || path.startsWith(`${root}/`);
}
