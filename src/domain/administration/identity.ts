// Who a credential stands for, as the identity surface asks.
import type { Principal, User } from './model.ts';

/** What a session token, or a key in its stead, says of its holder. */
export interface Session {
  readonly principal: Principal;
  /** The person's e-mail address, or the key's id. */
  readonly user: string;
  readonly projectId: string;
  readonly organizationId: string;
}

export interface IssuedToken {
  readonly token: string;
  /** How long it lives. */
  readonly seconds: number;
}

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Identities {
  /** Who may be named as the audience of an access token. */
  readonly audiences: readonly string[];
  /** Undefined when the id or the secret is wrong. */
  exchange(credentials: ClientCredentials): Promise<IssuedToken | undefined>;
  /** Undefined when the key is missing or unknown. */
  logIn(apiKey: string | undefined): Promise<(IssuedToken & { readonly session: Session }) | undefined>;
  /** Null when the project is gone. */
  projectName(projectId: string): string | null;
}

export interface AcceptedInvite {
  readonly user: User;
  /** Access to the organization's administration, as far as the person's roles go. */
  readonly access: IssuedToken;
}

export interface InviteAcceptance {
  /** The address a link invites; undefined when the link is wrong, used, replaced or too old. */
  emailOf(link: string): Promise<string | undefined>;
  /** @throws invite-not-found, invite-processed */
  accept(
    link: string,
    fields: { readonly name: string | null; readonly requestId: string },
  ): Promise<AcceptedInvite>;
}
