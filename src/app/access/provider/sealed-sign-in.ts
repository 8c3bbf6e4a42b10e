// What a browser carries of a sign-in at a provider while it is away: sealed, so that no node must remember it.
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { SIGN_IN_SECONDS } from '../../../domain/administration/provider-sign-in.ts';
import type { SigningSecret } from '../signing-secrets.ts';

const METHOD = { alg: 'dir', enc: 'A256GCM' };

export interface LinkingSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Of the person's tokens. */
  readonly generation: number;
}

export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier. */
  readonly verifier: string;
  /** Of the half that the page keeps. */
  readonly tokenSha256: string;
  readonly returnTo: string;
  /** The session whose person the identity is connected to; null for a sign-in. */
  readonly link: LinkingSession | null;
}

export interface SealParts {
  /** The first one seals; all of them open. */
  readonly secrets: readonly SigningSecret[];
  readonly now: () => number;
}

export async function seal(pending: PendingSignIn, { secrets, now }: SealParts): Promise<string> {
  const [newest] = secrets;
  if (newest === undefined) throw new Error('There is no signing key.');
  const expires = Math.floor(now() / 1_000) + SIGN_IN_SECONDS;
  return new EncryptJWT({ ...pending })
    .setProtectedHeader({ ...METHOD, kid: newest.id })
    .setExpirationTime(expires)
    .encrypt(newest.bytes);
}

/** Undefined for what this server has not sealed, or more than ten minutes ago. */
export async function unseal(
  sealed: string,
  { secrets, now }: SealParts,
): Promise<PendingSignIn | undefined> {
  const keyOf = ({ kid }: { readonly kid?: string }) => {
    const secret = secrets.find(({ id }) => id === kid);
    if (secret === undefined) throw new errors.JWEDecryptionFailed();
    return secret.bytes;
  };
  try {
    const { payload } = await jwtDecrypt<PendingSignIn>(sealed, keyOf, {
      keyManagementAlgorithms: [METHOD.alg],
      contentEncryptionAlgorithms: [METHOD.enc],
      currentDate: new Date(now()),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
