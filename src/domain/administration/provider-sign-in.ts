// Signing in at an OpenID provider: who is admitted, which roles groups give, and what the console needs of it.
import type { PresentSession, SignInHolder } from './console-session.ts';
import { isOrganizationRole, type Role } from './roles.ts';

/** The group of a rule that holds for everybody whom the provider signs in. */
export const EVERYBODY = '*';

/** A role that the members of a group have. */
export interface GroupRole {
  /** As the provider names it; `*` for everybody. */
  readonly group: string;
  readonly role: Role;
  /** The id or the name of a project; null for a role in the organization. */
  readonly project: string | null;
}

/** Who becomes a member by signing in for the first time. */
export interface Admission {
  /** Whoever has an open invite for the verified e-mail address. */
  readonly invite: boolean;
  /** Whoever is in a group that has a role. */
  readonly group: boolean;
  /** Whoever has a verified e-mail address of these domains, in lower case. */
  readonly domains: readonly string[];
}

/** What a provider says of a person, as far as it counts here. */
export interface ProviderPerson {
  readonly issuer: string;
  /** With the issuer, the identity: the e-mail address is none. */
  readonly subject: string;
  /** Null unless the provider has verified it. */
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
}

/** The roles of the person's groups, and of everybody. */
export function rolesOfGroups(rules: readonly GroupRole[], groups: readonly string[]): readonly GroupRole[] {
  const held = new Set([EVERYBODY, ...groups]);
  return rules.filter(({ group }) => held.has(group));
}

/** True if the groups or the address alone make the person a member. */
export function isAdmitted(
  { group, domains }: Admission,
  rules: readonly GroupRole[],
  { email, groups }: Pick<ProviderPerson, 'email' | 'groups'>,
): boolean {
  if (group && rulesOfOwnGroups(rules, groups)) return true;
  const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domain !== undefined && domains.includes(domain);
}

function rulesOfOwnGroups(rules: readonly GroupRole[], groups: readonly string[]): boolean {
  return rules.some(({ group }) => group !== EVERYBODY && groups.includes(group));
}

/** True if the role is one of the organization, so that its rule names no project. */
export function isOfOrganization({ role }: Pick<GroupRole, 'role'>): boolean {
  return isOrganizationRole(role);
}

/** How long a person may take at the provider. */
export const SIGN_IN_SECONDS = 600;

/** Where the browser goes, and the two halves without which nobody can finish the sign-in. */
export interface BegunSignIn {
  readonly location: string;
  /** Names the cookie, so that sign-ins of several tabs do not disturb each other. */
  readonly id: string;
  /** The content of the cookie: sealed, readable by this server alone. */
  readonly cookie: string;
  /** The half that the page keeps. */
  readonly token: string;
}

/** What the page brings back from the provider. */
export interface ReturnedSignIn {
  /** The query of the callback address, as the provider made it. */
  readonly callback: string;
  readonly cookie: string | undefined;
  readonly token: string;
  readonly requestId: string;
}

export interface FinishedSignIn {
  readonly holder: SignInHolder;
  /** The fragment of the console to go on at. */
  readonly returnTo: string;
}

export interface ProviderSignIn {
  /** For people: "Sign in with NAME". */
  readonly name: string;
  /**
   * @param host the host and port that the browser asked
   * @param link the person who is signed in and connects the identity; null for a sign-in
   * @throws provider-unavailable, sign-in-refused at another address than the public one
   */
  begin(options: {
    readonly host: string;
    readonly returnTo: string;
    readonly link: PresentSession | null;
  }): Promise<BegunSignIn>;
  /** The id of the sign-in that a callback belongs to; undefined where it names none. */
  idOf(callback: string): string | undefined;
  /** @throws sign-in-refused, provider-unavailable */
  finish(returned: ReturnedSignIn): Promise<FinishedSignIn>;
  /** Where the browser ends the session at the provider; null if the provider has no such address. */
  signOutAddress(idToken: string): Promise<string | null>;
}
