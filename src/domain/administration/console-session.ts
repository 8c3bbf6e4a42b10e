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
}

/** The one-time codes in links that sign the owner in. */
export interface SignInCodes {
  /** Returns whom the code signs in, and forgets it; undefined when it is unknown, used or expired. */
  redeem(code: string): SignInHolder | undefined;
}
