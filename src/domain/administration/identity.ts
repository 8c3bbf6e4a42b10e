// What the identity API asks about credentials and their holders.
import type { Principal, User } from './model.ts';

/** The holder of a session token, or of an API key or a person's access token used in its place. */
export interface Session {
  readonly principal: Principal;
  /** The person's e-mail address, or the key's id. */
  readonly user: string;
  /** Empty for a person without a project. */
  readonly projectId: string;
  readonly organizationId: string;
}

export interface IssuedToken {
  readonly token: string;
  /** Its lifetime. */
  readonly seconds: number;
}

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Identities {
  /** Audiences that an access token may name. */
  readonly audiences: readonly string[];
  /** Undefined when the id or the secret is wrong. */
  exchange(credentials: ClientCredentials): Promise<IssuedToken | undefined>;
  /** Undefined when the key is missing or unknown. */
  logIn(apiKey: string | undefined): Promise<(IssuedToken & { readonly session: Session }) | undefined>;
  /** Null when the project is gone. */
  projectName(projectId: string): string | null;
}

export interface PersonLogin {
  readonly email: string;
  readonly password: string;
  /** Null for the organization whose password was set first. */
  readonly organizationId: string | null;
  /** Of the client: attempts are counted for its network. */
  readonly address: string;
}

/** With the generation of the person's tokens when the credential was read. */
export type SignedIn = IssuedToken & { readonly session: Session; readonly generation: number };

export interface People {
  /**
   * Undefined for a wrong password and for an unknown address, after the same time.
   * @throws sign-in-refused for the right password of a person to whom groups give roles; too-many-attempts, overloaded
   */
  signIn(login: PersonLogin): Promise<SignedIn | undefined>;
  /**
   * Sets the password of the person of a session, for the session's organization. Earlier tokens become invalid.
   * @throws invalid-argument for a wrong current password, for sessions of keys, and while groups give roles to the
   * person; too-many-attempts, overloaded
   */
  setPassword(
    session: Session,
    change: {
      readonly password: string;
      /** Required when the person has a password. */
      readonly current: string | null;
      readonly requestId: string;
    },
  ): Promise<SignedIn>;
}

export interface AcceptedInvite {
  readonly user: User;
  /** Access to the organization's administration, within the person's roles. */
  readonly access: IssuedToken;
}

export interface InviteAcceptance {
  /** Returns the address that a link invites; undefined when the link is invalid, used, replaced or expired. */
  emailOf(link: string): Promise<string | undefined>;
  /** @throws invite-not-found, invite-processed, already-member */
  accept(
    link: string,
    fields: { readonly name: string | null; readonly requestId: string },
  ): Promise<AcceptedInvite>;
}
