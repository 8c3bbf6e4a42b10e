// What a session of the console shows: who is signed in, and what that holder may do where.
import type { Principal } from './model.ts';
import type { PermissionSet } from './permissions.ts';

export interface ConsoleProject {
  readonly id: string;
  readonly name: string;
  /** What the holder may do in the project. */
  readonly permissions: PermissionSet;
}

export interface ConsoleSession {
  readonly principal: Principal;
  /** The person's e-mail address, the client id of a service account, or the id of a key. */
  readonly user: string;
  readonly organizationId: string;
  /** What the holder may do in the organization as a whole; empty for API keys. */
  readonly permissions: PermissionSet;
  /** In the order of their creation. */
  readonly projects: readonly ConsoleProject[];
  /** ISO time at which the session ends, however much it is used. */
  readonly endsAt: string;
}

/** Whoever signs in, by whatever credential. */
export interface SignInHolder {
  readonly principal: Principal;
  readonly organizationId: string;
  /** Of the holder's tokens when the credential was read: the session ends with them. Default: the present one. */
  readonly generation?: number;
  /** Set for people whom an OpenID provider has signed in. */
  readonly provider?: ProviderSession;
}

/** The session that a request presents. */
export interface PresentSession {
  readonly principal: Principal;
  readonly organizationId: string;
  readonly sessionId: string;
  /** Of the holder's tokens; null for API keys. */
  readonly generation: number | null;
}

/** What a session keeps of the sign-in at a provider. */
export interface ProviderSession {
  readonly subject: string;
  /** The id of the session there; null where the provider tells none. */
  readonly sid: string | null;
  /** Shown to the provider at the sign-out; null where it was not kept. */
  readonly idToken: string | null;
  /** The life of the session here, after which the provider is asked again. */
  readonly seconds: number;
}

/** A session among all of its holder. */
export interface OwnSession {
  readonly id: string;
  /** ISO times, as all here; null for sessions that an earlier release opened. */
  readonly openedAt: string | null;
  readonly lastUsedAt: string;
  readonly endsAt: string;
  /** The host name and port where it was opened. */
  readonly host: string;
  readonly isByProvider: boolean;
  readonly isCurrent: boolean;
}

/** The one-time codes in links that sign the owner in. */
export interface SignInCodes {
  /** Returns whom the code signs in, and forgets it; undefined when it is unknown, used or expired. */
  redeem(code: string): SignInHolder | undefined;
}
