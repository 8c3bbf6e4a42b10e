// Grants and revokes role bindings for all changes, and makes sure that an organization keeps an owner.
import type { Transaction } from 'kysely';
import type { Grant, Principal, RoleBinding } from '../../domain/administration/model.ts';
import { isOrganizationRole, isProjectRole } from '../../domain/administration/roles.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { Change } from '../change-runner.ts';
import type { CatalogSchema } from '../schema.ts';
import { endMembership } from './memberships.ts';
import { bindingOf, bindingRow } from './rows.ts';

export interface GrantTo {
  readonly organizationId: string;
  readonly principal: Principal;
}

/**
 * Grants roles to a principal; duplicates and roles that it already has count once.
 * @throws project-not-found, invalid-argument
 */
export async function give(change: Change, to: GrantTo, grants: readonly Grant[]): Promise<void> {
  for (const grant of grants) {
    await checkGrant(change.tx, to.organizationId, grant);
    const { resourceType, resourceId, role } = grant;
    const binding = { id: newId(), ...to, resourceType, resourceId, role, createdAt: change.now };
    await addBinding(change, binding);
  }
}

/** False when the principal already has this role on this resource. */
export async function addBinding({ tx, notify }: Change, binding: RoleBinding): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('role_bindings')
    .values(bindingRow(binding))
    .onConflict((conflict) =>
      conflict
        .columns(['principal_type', 'principal_id', 'resource_type', 'resource_id', 'role'])
        .doNothing(),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  notify({ kind: 'binding', binding });
  return true;
}

/** Returns the bindings of one principal in one organization, oldest first. */
export async function bindingsOf(
  tx: Transaction<CatalogSchema>,
  { organizationId, principal }: GrantTo,
): Promise<readonly RoleBinding[]> {
  const rows = await tx
    .selectFrom('role_bindings')
    .selectAll()
    .where('principal_type', '=', principal.type)
    .where('principal_id', '=', principal.id)
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(bindingOf);
}

/**
 * Takes bindings of one principal in one organization. A person who has none left there is no member any more.
 * @throws last-owner when no owner would be left
 */
export async function takeBindings(change: Change, bindings: readonly RoleBinding[]): Promise<void> {
  for (const binding of bindings) {
    await change.tx.deleteFrom('role_bindings').where('id', '=', binding.id).execute();
    change.notify({ kind: 'binding-gone', binding });
  }
  const [first] = bindings;
  if (first?.principal.type === 'user' && (await bindingsOf(change.tx, first)).length === 0) {
    await endMembership(change, { organizationId: first.organizationId, id: first.principal.id });
  }
  const owned = bindings.find(isOwnership);
  if (owned !== undefined) await requireOwner(change.tx, owned.organizationId);
}

function isOwnership({ role, principal }: RoleBinding): boolean {
  return role === 'OrgOwner' && principal.type !== 'invite';
}

/** An invite does not count as an owner. */
async function requireOwner(tx: Transaction<CatalogSchema>, organizationId: string): Promise<void> {
  const owner = await tx
    .selectFrom('role_bindings')
    .select('id')
    .where('resource_type', '=', 'organization')
    .where('resource_id', '=', organizationId)
    .where('role', '=', 'OrgOwner')
    .where('principal_type', 'in', ['user', 'service_account'])
    .limit(1)
    .executeTakeFirst();
  if (owner === undefined) throw fault('last-owner');
}

/** Checks that the role fits the resource and that the resource exists. @throws project-not-found, invalid-argument */
export async function checkGrant(
  tx: Transaction<CatalogSchema>,
  organizationId: string,
  { resourceType, resourceId, role }: Grant,
): Promise<void> {
  const fits = resourceType === 'organization' ? isOrganizationRole(role) : isProjectRole(role);
  if (!fits) throw invalid(`role ${role} does not fit resource_type ${resourceType}`);
  if (resourceType === 'project') await requireProject(tx, { organizationId, id: resourceId });
  else if (resourceId !== organizationId) throw fault('organization-not-found', { id: resourceId });
}

/** @throws project-not-found */
export async function requireProject(
  tx: Transaction<CatalogSchema>,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  const row = await tx
    .selectFrom('projects')
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw fault('project-not-found', { id });
}
