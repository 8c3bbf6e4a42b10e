// People sign in at an OpenID provider: begins the round trip, and turns its end into a holder of a session.
import { hash, randomBytes } from 'node:crypto';
import type { IdentityStore, Project } from '../../../catalog/port.ts';
import type {
  OwnSession,
  PresentSession,
  ProviderSession,
  SignInHolder,
} from '../../../domain/administration/console-session.ts';
import { matchesDigest } from '../../../domain/administration/credentials.ts';
import type { Grant, Principal, User } from '../../../domain/administration/model.ts';
import {
  type Admission,
  type BegunSignIn,
  type FinishedSignIn,
  type GroupRole,
  isAdmitted,
  isOfOrganization,
  type ProviderPerson,
  type ProviderSignIn,
  type ReturnedSignIn,
  rolesOfGroups,
  SIGN_IN_SECONDS,
} from '../../../domain/administration/provider-sign-in.ts';
import { Fault, fault } from '../../../domain/faults.ts';
import type { SigningSecret } from '../signing-secrets.ts';
import type { OpenIdProvider, ProvidedIdentity } from './openid-provider.ts';
import { type ClaimRules, hasTooManyGroups, personOf } from './person-claims.ts';
import { type LinkingSession, type PendingSignIn, seal, unseal } from './sealed-sign-in.ts';

const TOKEN_BYTES = 32;
/** The part of the state that names the cookie. */
const ID_CHARS = 12;
const MINUTE_SECONDS = 60;
/** A longer ID token is not kept for the sign-out. */
const ID_TOKEN_CHARS_MAX = 4_096;
/** A fragment of the console's own page; nothing of it can lead elsewhere. */
const RETURN_TO = /^#\/[\x21-\x7e]{0,1000}$/;
/** Finished sign-ins that cannot be finished again. */
const FINISHED_MAX = 10_000;

export interface ProviderSignInParts extends ClaimRules {
  readonly provider: OpenIdProvider;
  readonly identities: IdentityStore;
  /** The first one seals; all of them open. */
  readonly secrets: readonly SigningSecret[];
  readonly organizationId: string;
  readonly projects: () => readonly Pick<Project, 'id' | 'name'>[];
  readonly roles: readonly GroupRole[];
  readonly admission: Admission;
  /** The life of a session, after which the provider is asked again. */
  readonly sessionSeconds: number;
  readonly signsOutThere: boolean;
  readonly baseUrl: () => string;
  /** The living sessions of a person in the console. */
  readonly sessionsOf: (person: Principal, organizationId: string) => readonly Pick<OwnSession, 'id'>[];
  readonly now: () => number;
  /** Told the project that a rule names and nobody has. */
  readonly onUnknownProject: (project: string) => void;
}

/** How sign-ins ended since the start. */
export interface SignInCounts {
  readonly signedIn: number;
  /** Refused by the provider, or by this server. */
  readonly refused: number;
  /** Sign-ins during which the provider did not answer. */
  readonly unavailable: number;
}

export class ProviderSignInService implements ProviderSignIn {
  readonly #parts: ProviderSignInParts;
  readonly #finished = new Set<string>();
  readonly #counts = { signedIn: 0, refused: 0, unavailable: 0 };

  constructor(parts: ProviderSignInParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.provider.name;
  }

  get counts(): SignInCounts {
    return this.#counts;
  }

  begin({ host, returnTo, link }: Parameters<ProviderSignIn['begin']>[0]): Promise<BegunSignIn> {
    return this.#counted(async () => {
      const { baseUrl, provider, organizationId } = this.#parts;
      if (new URL(baseUrl()).host !== host) {
        throw refusal(`Open the console at ${baseUrl()}: ${this.name} sends people back there.`);
      }
      const { location, ...trip } = await provider.begin();
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const pending: PendingSignIn = {
        ...trip,
        tokenSha256: digest(token),
        returnTo: RETURN_TO.test(returnTo) ? returnTo : '#/',
        link: link === null ? null : linkOf(link, organizationId),
      };
      return { location, id: idOfState(trip.state), cookie: await seal(pending, this.#parts), token };
    });
  }

  idOf(callback: string): string | undefined {
    const state = new URLSearchParams(callback).get('state');
    return state === null || !/^[\w-]{16,128}$/.test(state) ? undefined : idOfState(state);
  }

  finish({ callback, cookie, token, requestId }: ReturnedSignIn): Promise<FinishedSignIn> {
    return this.#counted(async () => {
      const pending = cookie === undefined ? undefined : await unseal(cookie, this.#parts);
      const isOwn =
        pending !== undefined &&
        matchesDigest(token, pending.tokenSha256) &&
        new URLSearchParams(callback).get('state') === pending.state;
      if (!isOwn || this.#finished.has(pending.state)) {
        const minutes = SIGN_IN_SECONDS / MINUTE_SECONDS;
        throw refusal(
          `This sign-in was begun elsewhere, was finished already or took longer than ${minutes} minutes. Sign in again.`,
        );
      }
      // Earlier releases seal in another way whose account is to be connected, which would pass for a sign-in.
      if (pending.link === undefined) {
        throw refusal('This was begun before an update of the server. Begin it again.');
      }
      this.#remember(pending.state);
      const identity = await this.#parts.provider.finish(callback, pending);
      const user = await this.#userOf(identity, pending, requestId);
      return { holder: this.#holderOf(user, identity), returnTo: pending.returnTo };
    });
  }

  signOutAddress(idToken: string): Promise<string | null> {
    return this.#parts.signsOutThere ? this.#parts.provider.signOutAddress(idToken) : Promise.resolve(null);
  }

  async #userOf(identity: ProvidedIdentity, pending: PendingSignIn, requestId: string): Promise<User> {
    const { identities, organizationId } = this.#parts;
    const { issuer, subject, claims } = identity;
    if (pending.link !== null) {
      const { userId: id, generation } = pending.link;
      this.#requireSession(pending.link);
      const by = { type: 'user', id, requestId } as const;
      return identities.connect({ organizationId, id, generation }, { issuer, subject }, by);
    }
    if (hasTooManyGroups(claims, this.#parts)) {
      throw refusal(`You are in more groups than ${this.name} tells. Ask its administrator to send fewer.`);
    }
    const person = { issuer, subject, ...personOf(claims, this.#parts) };
    const user = await identities.signIn({ ...this.#decide(person), requestId });
    if (user === null) throw refusal('No group of yours has access any more. Ask an owner.');
    return user;
  }

  /** @throws sign-in-refused when the session that began is over */
  #requireSession({ userId, sessionId }: LinkingSession): void {
    const { sessionsOf, organizationId } = this.#parts;
    const living = sessionsOf({ type: 'user', id: userId }, organizationId);
    if (living.some(({ id }) => id === sessionId)) return;
    throw refusal('The session that began this has ended. Sign in, and connect the identity again.');
  }

  #decide(person: ProviderPerson) {
    const { roles, admission, organizationId, now } = this.#parts;
    const { issuer, subject, email, name, groups } = person;
    return {
      ...{ organizationId, issuer, subject, email, name },
      isAdmitted: isAdmitted(admission, roles, person),
      acceptsInvite: admission.invite,
      grants: rolesOfGroups(roles, groups).flatMap((rule) => this.#grantsOf(rule)),
      at: new Date(now()).toISOString(),
    };
  }

  #grantsOf(rule: GroupRole): readonly Grant[] {
    const { organizationId, projects, onUnknownProject } = this.#parts;
    const { role, project } = rule;
    if (isOfOrganization(rule)) return [{ resourceType: 'organization', resourceId: organizationId, role }];
    const named = projects().filter(({ id, name }) => id === project || name === project);
    if (named.length === 0) onUnknownProject(project ?? '');
    return named.map(({ id }) => ({ resourceType: 'project', resourceId: id, role }));
  }

  #holderOf({ id }: User, { subject, sid, idToken }: ProvidedIdentity): SignInHolder {
    const { organizationId, sessionSeconds } = this.#parts;
    const kept = idToken.length <= ID_TOKEN_CHARS_MAX ? idToken : null;
    const provider: ProviderSession = { subject, sid, idToken: kept, seconds: sessionSeconds };
    return { principal: { type: 'user', id }, organizationId, provider };
  }

  #remember(state: string): void {
    const [oldest] = this.#finished;
    if (this.#finished.size >= FINISHED_MAX && oldest !== undefined) this.#finished.delete(oldest);
    this.#finished.add(state);
  }

  async #counted<Value extends BegunSignIn | FinishedSignIn>(work: () => Promise<Value>): Promise<Value> {
    try {
      const done = await work();
      if ('holder' in done) this.#counts.signedIn++;
      return done;
    } catch (error) {
      const isAway = error instanceof Fault && error.condition === 'provider-unavailable';
      if (isAway) this.#counts.unavailable++;
      else if (error instanceof Fault) this.#counts.refused++;
      throw error;
    }
  }
}

/** @throws sign-in-refused for whoever is no person of the organization */
function linkOf(session: PresentSession, organizationId: string): LinkingSession {
  const { principal, sessionId, generation } = session;
  if (principal.type !== 'user' || session.organizationId !== organizationId || generation === null) {
    throw refusal('Only people of the organization connect an identity.');
  }
  return { userId: principal.id, sessionId, generation };
}

function idOfState(state: string): string {
  return state.slice(0, ID_CHARS);
}

function digest(token: string): string {
  return hash('sha256', token, 'hex');
}

function refusal(reason: string) {
  return fault('sign-in-refused', { reason });
}
