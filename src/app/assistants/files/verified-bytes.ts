// The stored bytes of a file, compared with the digest of the upload while they are read.
import { createHash } from 'node:crypto';

/** The bytes are not those that were uploaded. */
export class FileDamaged extends Error {
  constructor() {
    super('The stored bytes of the file are damaged. Upload it again.');
    this.name = 'FileDamaged';
  }
}

/**
 * Passes the content on, but its last piece only once all of it has the digest: no reader gets a damaged file as a whole
 * one.
 * @param sha256 hexadecimal
 * @throws FileDamaged instead of the last piece; before any where there is only one
 */
export async function* verifiedBytes(
  content: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let held: Uint8Array | null = null;
  for await (const piece of content) {
    hash.update(piece);
    if (held !== null) yield held;
    held = piece;
  }
  if (hash.digest('hex') !== sha256) throw new FileDamaged();
  if (held !== null) yield held;
}
