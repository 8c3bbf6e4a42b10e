// What the claims of a provider say of a person, read without trust in their form.
import { CREDENTIAL_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { checkDisplayName, checkEmail } from '../../../domain/administration/names.ts';
import type { ProviderPerson } from '../../../domain/administration/provider-sign-in.ts';
import { type JsonObject, membersOf } from '../../../domain/json.ts';

/** Groups of one person; providers name at most some hundreds themselves. */
export const GROUPS_MAX = 2_000;

export interface ClaimRules {
  /** The name of the claim of groups, or a path of names with dots between. */
  readonly groupsClaim: string;
  /** True if addresses count as verified where the provider does not say. */
  readonly trustsEmail: boolean;
}

/** The parts of a person that the claims give, beside issuer and subject. */
export function personOf(
  claims: JsonObject,
  { groupsClaim, trustsEmail }: ClaimRules,
): Pick<ProviderPerson, 'email' | 'name' | 'groups'> {
  const { email, email_verified: verified = trustsEmail, name } = claims;
  return {
    // Some providers send the text "true".
    email: verified === true || verified === 'true' ? readOrNull(email, checkEmail) : null,
    name: readOrNull(name, (text) => checkDisplayName(text, CREDENTIAL_NAME_CHARS_MAX)),
    groups: groupsOf(claimAt(claims, groupsClaim)),
  };
}

/** True if the claims have all that the rules read, so that nothing more must be asked. */
export function isComplete(claims: JsonObject, { groupsClaim }: ClaimRules): boolean {
  return claims.email !== undefined && claimAt(claims, groupsClaim) !== undefined;
}

/** True if the provider has left the groups out because there are too many. */
export function hasTooManyGroups(claims: JsonObject, { groupsClaim }: ClaimRules): boolean {
  return claims.hasgroups === true || groupsClaim in membersOf(claims._claim_names);
}

function claimAt(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    const members = membersOf(value);
    value = Object.hasOwn(members, name) ? members[name] : undefined;
  }
  return value;
}

function groupsOf(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((each) => typeof each === 'string' && each !== '').slice(0, GROUPS_MAX);
}

function readOrNull(value: unknown, read: (text: string) => string): string | null {
  if (typeof value !== 'string') return null;
  try {
    return read(value);
  } catch {
    return null;
  }
}
