// People sign in by password, and set theirs.
import { availableParallelism } from 'node:os';
import type { PasswordStore, StoredPassword } from '../../catalog/port.ts';
import type { People, PersonLogin, Session, SignedIn } from '../../domain/administration/identity.ts';
import { emailKey } from '../../domain/administration/names.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { overloaded } from '../../domain/overload.ts';
import { AttemptLimit } from './attempt-limit.ts';
import { PasswordAttempts } from './password-attempts.ts';
import { hashPassword, matchesPassword, nobodyHash, SCRYPT_COST, type ScryptCost } from './password-hash.ts';
import type { Tokens } from './tokens.ts';

const CHANGES_MAX = 10;
const WINDOW_MS = 15 * 60 * 1_000;
const CHANGING_MAX = 10_000;
/** Hashes at a time, each of which takes 32 MiB and a thread for a fifth of a second. */
const HASHES_MAX = Math.min(2, availableParallelism());
const WAITING_MAX = 16;

export interface PeopleServiceParts {
  readonly passwords: PasswordStore;
  readonly tokens: Pick<Tokens, 'issueToUser' | 'sessionOf'>;
  readonly now?: () => number;
  /** Default SCRYPT_COST. */
  readonly cost?: ScryptCost;
  /** False where people cannot sign in at a provider, so that its groups close no password; default true. */
  readonly isProviderOpen?: boolean;
}

type PasswordHolder = Pick<StoredPassword, 'userId' | 'organizationId' | 'generation'>;

export class PeopleService implements People {
  readonly #parts: PeopleServiceParts;
  readonly #cost: ScryptCost;
  readonly #nobody: string;
  readonly #attempts: PasswordAttempts;
  /** Attempts to change a password, apart from sign-ins, which others can use up. */
  readonly #changes: AttemptLimit;
  readonly #waiting: (() => void)[] = [];
  #hashing = 0;

  constructor(parts: PeopleServiceParts) {
    this.#parts = parts;
    const { now = Date.now, cost = SCRYPT_COST } = parts;
    this.#cost = cost;
    this.#nobody = nobodyHash(cost);
    this.#attempts = new PasswordAttempts(now);
    this.#changes = new AttemptLimit({
      attemptsMax: CHANGES_MAX,
      windowMs: WINDOW_MS,
      addressesMax: CHANGING_MAX,
      now,
    });
  }

  async signIn({ email, password, organizationId, address }: PersonLogin): Promise<SignedIn | undefined> {
    const attempt = { emailKey: emailKey(email), address };
    const found = await this.#parts.passwords.find({ email, organizationId });
    const isRight = await this.#inTurn(() => {
      // Counted at its turn: at the pace of hashes, nobody makes the limit forget an address by trying many others.
      this.#attempts.begin(attempt);
      return matchesPassword(password, found?.hash ?? this.#nobody);
    });
    if (found === null || !isRight) return undefined;
    if (found.hasGroupRoles && this.#parts.isProviderOpen !== false) {
      const reason = 'Groups at the OpenID provider give you roles. Sign in there, not by the password.';
      throw fault('sign-in-refused', { reason });
    }
    const signedIn = await this.#issue(found);
    // Whose membership ends or whose password changes meanwhile gets no session.
    if (signedIn !== undefined) this.#attempts.succeed(attempt);
    return signedIn;
  }

  async setPassword(
    session: Session,
    { password, current, requestId }: Parameters<People['setPassword']>[1],
  ): Promise<SignedIn> {
    const { principal, user: email, organizationId } = session;
    if (principal.type !== 'user') throw invalid('Only people have passwords; an API key has none');
    const { passwords } = this.#parts;
    const { id } = principal;
    const found = await passwords.find({ email, organizationId });
    if (found !== null) {
      const isRight = await this.#inTurn(() => {
        this.#changes.begin(id);
        return matchesPassword(current ?? '', found.hash);
      });
      if (!isRight) throw invalid('current_password is wrong');
      this.#changes.forget(id);
    }
    const hash = await this.#inTurn(() => hashPassword(password, this.#cost));
    const change = { hash, former: found?.hash ?? null };
    const generation = await passwords.set({ organizationId, id }, change, { ...principal, requestId });
    const signedIn = await this.#issue({ userId: id, organizationId, generation });
    if (signedIn === undefined) throw fault('unauthenticated');
    return signedIn;
  }

  /** By the generation of the moment when the credential counted: undefined when the person's tokens ended since. */
  async #issue({ userId, organizationId, generation }: PasswordHolder): Promise<SignedIn | undefined> {
    const { tokens } = this.#parts;
    const issued = await tokens.issueToUser(userId, organizationId, generation);
    const session = await tokens.sessionOf(issued.token);
    return session === undefined ? undefined : { ...issued, session, generation };
  }

  /** @throws overloaded when too many wait */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#hashing >= HASHES_MAX) {
      if (this.#waiting.length >= WAITING_MAX) throw overloaded();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#hashing++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The turn passes on.
      if (next === undefined) this.#hashing--;
      else next();
    }
  }
}
