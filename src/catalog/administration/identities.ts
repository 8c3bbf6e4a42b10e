// Identities at OpenID providers in SQL: issuer and subject find a person, an e-mail address never does.
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Grant, User } from '../../domain/administration/model.ts';
import { emailKey } from '../../domain/administration/names.ts';
import { fault } from '../../domain/faults.ts';
import { jsonText, parseJsonText } from '../../domain/json.ts';
import type { Change, ChangeRunner } from '../change-runner.ts';
import type { CatalogSchema, IdentityTable, InviteTable, UserTable } from '../schema.ts';
import { accountsBy, admit, heldAccount, newAccount } from './accept-invite.ts';
import { bindingsOf, give, takeBindings } from './bindings.ts';
import { removeInvitesOf } from './invites.ts';
import { membersOf } from './members.ts';
import { endTokens, NOBODY } from './memberships.ts';
import type { IdentitySignIn, IdentityStore, Ref } from './port.ts';
import { hasOrganization } from './projects.ts';
import { userOf } from './rows.ts';

type Identity = Pick<IdentityTable, 'issuer' | 'subject'>;

export function sqlIdentities(runner: ChangeRunner): IdentityStore {
  return {
    signIn: (request) =>
      runner.run({ type: 'system', id: '', requestId: request.requestId }, (change) =>
        signIn(change, request),
      ),

    connect: (ref, identity, by) => runner.run(by, (change) => connect(change, ref, identity)),
  };
}

/** Whom an owner removed needs an invite to come back, whatever groups say. */
export async function closeIdentities({ tx, now }: Change, { organizationId, id }: Ref): Promise<void> {
  await tx
    .updateTable('identities')
    .set({ removed_at: now, granted: jsonText([]) })
    .where('user_id', '=', id)
    .where('organization_id', '=', organizationId)
    .execute();
}

/** True while a provider's groups give roles to the person: only its sign-ins can take them again. */
export async function hasGroupRoles(
  db: Kysely<CatalogSchema>,
  { organizationId, id }: Ref,
): Promise<boolean> {
  const identity = await db
    .selectFrom('identities')
    .select('subject')
    .where('user_id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('granted', '!=', jsonText([]))
    .limit(1)
    .executeTakeFirst();
  return identity !== undefined;
}

async function signIn(change: Change, request: IdentitySignIn): Promise<User | null> {
  const { organizationId, issuer, subject } = request;
  if (!(await hasOrganization(change.tx, organizationId))) throw refusal('The organization is deleted.');
  const known = await identityOf(change, request);
  if (known !== undefined && known.organization_id !== organizationId) {
    throw refusal('This identity belongs to another organization of this server.');
  }
  const invite = await openInvite(change, request);
  const user = isHeld(known) ? await userById(change, known) : await newcomer(change, request, invite);
  const member = { organizationId, principal: { type: 'user', id: user.id } as const };
  const before = await bindingsOf(change.tx, member);
  const accepted = before.length === 0 && invite !== undefined;
  if (accepted) await admit(change, invite, user);
  else if (known?.removed_at != null) {
    throw refusal('An owner has removed this account. Ask an owner for an invite.');
  }
  const granted = known === undefined || accepted ? [] : parseJsonText(known.granted);
  const held = accepted ? await bindingsOf(change.tx, member) : before;
  const own = held.filter((binding) => !isIn(granted, binding));
  const isOwnMember = own.some(isMembership);
  const isMember = request.isAdmitted || isOwnMember;
  const wanted = isMember ? wantedOf(request, isOwnMember) : [];
  await give(change, member, wanted);
  if (isMember && before.length === 0) await removeInvitesOf(change, organizationId, user);
  const lost = isMember ? held.filter((binding) => !own.includes(binding) && !isIn(wanted, binding)) : held;
  await takeBindings(change, lost);
  const given = wanted.filter((grant) => !isIn(own, grant));
  // Sessions by password must not have roles of groups.
  if (before.length > 0 && granted.length === 0 && given.length > 0) await endTokens(change, user.id);
  await keepIdentity(change, {
    ...{ issuer, subject, organization_id: organizationId, user_id: user.id },
    granted: jsonText(given),
    removed_at: null,
    created_at: known?.created_at ?? change.now,
    signed_in_at: change.now,
  });
  const details = {
    ...{ email: user.email, issuer, subject, isNew: known === undefined },
    roles: wanted.map(({ role }) => role),
    rolesTaken: lost.map(({ role }) => role),
  };
  const action = isMember ? 'user.sign_in' : 'user.lose_admission';
  change.audit({ organizationId, resourceType: 'user', resourceId: user.id, action, details });
  return isMember ? userOf(user) : null;
}

/** False for one whose account has another holder, or that nobody has seen. */
function isHeld(identity: IdentityTable | undefined): identity is IdentityTable {
  return identity !== undefined && identity.user_id !== NOBODY;
}

function userById({ tx }: Change, { user_id }: IdentityTable): Promise<UserTable> {
  return tx.selectFrom('users').selectAll().where('id', '=', user_id).executeTakeFirstOrThrow();
}

/** Roles in projects require one in the organization. */
function wantedOf({ grants, organizationId }: IdentitySignIn, isMemberAlready: boolean): readonly Grant[] {
  if (isMemberAlready || grants.some(isMembership)) return grants;
  return [{ resourceType: 'organization', resourceId: organizationId, role: 'OrgMember' }, ...grants];
}

function isMembership({ resourceType }: Grant): boolean {
  return resourceType === 'organization';
}

function isIn(grants: readonly Grant[], { resourceType, resourceId, role }: Grant): boolean {
  return grants.some(
    (each) => each.resourceType === resourceType && each.resourceId === resourceId && each.role === role,
  );
}

function identityOf({ tx }: Change, { issuer, subject }: Identity): Promise<IdentityTable | undefined> {
  return tx
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

async function openInvite(
  { tx }: Change,
  { acceptsInvite, email, organizationId, at }: IdentitySignIn,
): Promise<InviteTable | undefined> {
  if (!acceptsInvite || email === null) return undefined;
  return tx
    .selectFrom('invites')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('email_key', '=', emailKey(email))
    .where('processed_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst();
}

/** The new account of an identity that nobody has. @throws sign-in-refused */
async function newcomer(
  change: Change,
  { email, name, isAdmitted }: IdentitySignIn,
  invite: InviteTable | undefined,
): Promise<UserTable> {
  if (email === null) {
    throw refusal('The provider gives no verified e-mail address of yours, which a new account needs.');
  }
  if (!isAdmitted && invite === undefined) {
    throw refusal(
      `Nobody has invited ${email}, and no group of yours has access. Ask an owner for an invite.`,
    );
  }
  await requireFreeAddress(change.tx, email, invite);
  return newAccount(change, { id: randomUUID(), email, name, at: change.now });
}

/**
 * An account that somebody has is never taken over by its address. One without any role makes way for whoever an owner
 * invites, as by the invite's link. @throws sign-in-refused
 */
async function requireFreeAddress(
  tx: Change['tx'],
  email: string,
  invite: InviteTable | undefined,
): Promise<void> {
  const held = await heldAccount(tx, email);
  if (held !== undefined) {
    throw refusal(
      `There is an account of ${held.email} already. Sign in to it as before, and connect it in the account menu.`,
    );
  }
  const former = await accountsBy(tx, email).executeTakeFirst();
  if (former !== undefined && invite === undefined) {
    throw refusal(`There was an account of ${former.email} before. Ask an owner for an invite.`);
  }
}

async function keepIdentity({ tx }: Change, row: IdentityTable): Promise<void> {
  const { organization_id, user_id, granted, removed_at, signed_in_at } = row;
  await tx
    .insertInto('identities')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['issuer', 'subject'])
        .doUpdateSet({ organization_id, user_id, granted, removed_at, signed_in_at }),
    )
    .execute();
}

async function connect(
  change: Change,
  { organizationId, id, generation }: Ref & { readonly generation: number },
  { issuer, subject }: Identity,
): Promise<User> {
  const member = await membersOf(change.tx, organizationId).where('users.id', '=', id).executeTakeFirst();
  if (member === undefined) throw fault('user-not-found', { id });
  const { generation: present } = await change.tx
    .selectFrom('users')
    .select('generation')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (present !== generation) {
    throw refusal('Your sessions were ended meanwhile. Sign in, and connect the identity again.');
  }
  const known = await identityOf(change, { issuer, subject });
  if (isHeld(known) && known.user_id !== id) throw refusal('This identity belongs to another account.');
  await keepIdentity(change, {
    ...{ issuer, subject, organization_id: organizationId, user_id: id },
    ...{ granted: known?.granted ?? jsonText([]), removed_at: null },
    ...{ created_at: known?.created_at ?? change.now, signed_in_at: change.now },
  });
  const details = { email: member.email, issuer, subject };
  change.audit({
    organizationId,
    resourceType: 'user',
    resourceId: id,
    action: 'user.connect_identity',
    details,
  });
  return userOf(member);
}

function refusal(reason: string) {
  return fault('sign-in-refused', { reason });
}
