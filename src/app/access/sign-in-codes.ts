// One-time codes: the link that the first start prints signs the owner in with one.
import { hash, randomBytes } from 'node:crypto';
import type { SignInCodes, SignInHolder } from '../../domain/administration/console-session.ts';
import { SIGN_IN_CODE_SECONDS } from '../../domain/administration/limits.ts';

const CODE_BYTES = 32;
const SECOND_MS = 1_000;

export class OneTimeCodes implements SignInCodes {
  readonly #now: () => number;
  /** By digest; in memory alone, so that a code ends with the process. */
  readonly #codes = new Map<string, { readonly holder: SignInHolder; readonly endsAt: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  issue(holder: SignInHolder): string {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    this.#codes.set(digest(code), { holder, endsAt: this.#now() + SIGN_IN_CODE_SECONDS * SECOND_MS });
    return code;
  }

  redeem(code: string): SignInHolder | undefined {
    const key = digest(code);
    const found = this.#codes.get(key);
    this.#codes.delete(key);
    return found !== undefined && this.#now() < found.endsAt ? found.holder : undefined;
  }
}

function digest(code: string): string {
  return hash('sha256', code, 'hex');
}
