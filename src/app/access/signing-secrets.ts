// The secrets that sign tokens, cursors and links, derived from the signing keys of the catalog.
import { hkdfSync, randomBytes } from 'node:crypto';
import type { SigningKey, SigningKeyStore } from '../../catalog/port.ts';
import { newId } from '../../domain/ids.ts';

const SECRET_BYTES = 32;

/** What a secret signs; each purpose has its own, so that no signature is valid for another. */
export type Purpose = 'token' | 'cursor' | 'invite link' | 'file link' | 'sign-in';

export interface SigningSecret {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Newest first; created at the first start. */
export async function signingKeys(store: SigningKeyStore): Promise<readonly SigningKey[]> {
  const known = await store.list();
  return known.length > 0 ? known : [await renewSigningKey(store)];
}

/** Invalidates everything that was signed before. */
export async function renewSigningKey(store: Pick<SigningKeyStore, 'add'>): Promise<SigningKey> {
  const key = {
    id: newId(),
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
    createdAt: new Date().toISOString(),
  };
  await store.add(key, 1);
  return key;
}

export function secretsFor(purpose: Purpose, keys: readonly SigningKey[]): readonly SigningSecret[] {
  return keys.map(({ id, secret }) => {
    const drawn = hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', `pinyon ${purpose}`, SECRET_BYTES);
    return { id, bytes: new Uint8Array(drawn) };
  });
}
