// Hashes of passwords by scrypt (RFC 7914), as text with their own parameters.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MEMORY_BYTES_MAX = 64 * 2 ** 20;

export interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** As OWASP recommends: N = 2^15, r = 8, p = 3, which takes 32 MiB. */
export const SCRYPT_COST: ScryptCost = { logN: 15, r: 8, p: 3 };

/** Returns `scrypt$LOG_N$R$P$SALT$HASH`, with a new random salt. */
export async function hashPassword(password: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return textOf(cost, salt, await derive(password, salt, cost));
}

/** Compares in constant time. @throws Error for text that `hashPassword` did not write */
export async function matchesPassword(password: string, stored: string): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] =
    /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? [];
  const expected = Buffer.from(hash, 'base64url');
  if (expected.length !== HASH_BYTES) throw new Error('A stored password hash is damaged.');
  const parameters = { logN: Number(logN), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, 'base64url'), parameters);
  return timingSafeEqual(expected, actual);
}

/** The hash of a password that nobody knows: comparing with it takes as long as with any other of this cost. */
export function nobodyHash(cost: ScryptCost): string {
  return textOf(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
}

function textOf({ logN, r, p }: ScryptCost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', logN, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Keyboards compose characters differently; NFKC makes the same text of them. */
function derive(password: string, salt: Buffer, { logN, r, p }: ScryptCost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: MEMORY_BYTES_MAX };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
