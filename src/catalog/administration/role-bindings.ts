// Role bindings in SQL: the transaction of a change checks the rules that span rows.
import type { Transaction } from 'kysely';
import { masking } from '../../domain/administration/authorize.ts';
import type { RoleBinding } from '../../domain/administration/model.ts';
import { isApiKeyRole } from '../../domain/administration/roles.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type { ChangeRunner } from '../change-runner.ts';
import type { CatalogSchema } from '../schema.ts';
import { addBinding, bindingsOf, checkGrant, takeBindings } from './bindings.ts';
import { isThere } from './is-there.ts';
import { ROLE_REMOVAL } from './memberships.ts';
import { byCreation, isAfter } from './page-of.ts';
import type { RoleBindingQuery, RoleBindingStore } from './port.ts';
import { bindingOf } from './rows.ts';

export function sqlRoleBindings(runner: ChangeRunner): RoleBindingStore {
  const { db } = runner;
  return {
    list: async (organizationId, query) => {
      const rows = await filtered(runner, organizationId, query)
        .orderBy('created_at')
        .orderBy('id')
        .limit(query.limit + 1)
        .execute();
      return byCreation(rows.map(bindingOf), query.limit);
    },

    find: async ({ organizationId, id }) => {
      const row = await db
        .selectFrom('role_bindings')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : bindingOf(row);
    },

    create: (binding, by, visible = []) =>
      runner.run(by, async (change) => {
        await checkGrant(change.tx, binding.organizationId, binding);
        await requirePrincipal(change.tx, binding, visible);
        if (!(await addBinding(change, binding))) throw await bindingExists(change.tx, binding);
        change.audit({ ...about(binding), action: 'role_binding.create', details: fieldsOf(binding) });
      }),

    delete: ({ organizationId, id }, by) =>
      runner.run(by, async (change) => {
        const row = await change.tx
          .selectFrom('role_bindings')
          .selectAll()
          .where('id', '=', id)
          .where('organization_id', '=', organizationId)
          .executeTakeFirst();
        if (row === undefined) throw fault('role-binding-not-found', { id });
        const binding = bindingOf(row);
        await requireMembership(change.tx, binding);
        await takeBindings(change, [binding]);
        change.audit({ ...about(binding), action: ROLE_REMOVAL, details: fieldsOf(binding) });
      }),
  };
}

function filtered({ db }: ChangeRunner, organizationId: string, query: RoleBindingQuery) {
  const { principalType, principalId, resourceType, resourceId, role, visible } = query;
  let rows = db
    .selectFrom('role_bindings')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(isAfter('role_bindings', query));
  if (principalType !== undefined) rows = rows.where('principal_type', '=', principalType);
  if (principalId !== undefined) rows = rows.where('principal_id', '=', principalId);
  if (resourceType !== undefined) rows = rows.where('resource_type', '=', resourceType);
  if (resourceId !== undefined) rows = rows.where('resource_id', '=', resourceId);
  if (role !== undefined) rows = rows.where('role', '=', role);
  if (visible === 'all') return rows;
  return rows.where('resource_type', '=', 'project').where('resource_id', 'in', [...visible]);
}

/** @throws principal-not-found, invalid-argument */
async function requirePrincipal(
  tx: Transaction<CatalogSchema>,
  binding: RoleBinding,
  visible: RoleBindingQuery['visible'],
): Promise<void> {
  const { organizationId, principal, role, resourceId } = binding;
  const { type, id } = principal;
  if (type === 'api_key') {
    const key = await tx
      .selectFrom('api_keys')
      .innerJoin('projects', 'projects.id', 'api_keys.project_id')
      .select('api_keys.project_id')
      .where('api_keys.id', '=', id)
      .where('projects.organization_id', '=', organizationId)
      .executeTakeFirst();
    const missing = fault('principal-not-found', { type, id });
    if (key === undefined) throw missing;
    if (key.project_id !== resourceId) {
      const isVisible = visible === 'all' || visible.includes(key.project_id);
      if (!isVisible) throw masking(missing, 'admin::api_keys::read');
      throw invalid('an API key has roles on its own project only');
    }
    if (!isApiKeyRole(role)) throw invalid(`role ${role} is not one that an API key may have`);
    return;
  }
  if (!(await isThere(tx, binding))) throw fault('principal-not-found', { type, id });
}

/** Roles in projects require a role in the organization. @throws last-membership */
async function requireMembership(tx: Transaction<CatalogSchema>, binding: RoleBinding): Promise<void> {
  const { principal, resourceType, id } = binding;
  if (resourceType !== 'organization') return;
  if (principal.type !== 'user' && principal.type !== 'invite') return;
  const others = (await bindingsOf(tx, binding)).filter((each) => each.id !== id);
  if (others.some((each) => each.resourceType === 'organization')) return;
  if (principal.type === 'invite') {
    throw fault('last-membership', { principal: 'invite', remedy: 'Delete the invite instead.' });
  }
  if (others.length === 0) return;
  const remedy = 'Delete the other role bindings first, or the user.';
  throw fault('last-membership', { principal: 'user', remedy });
}

async function bindingExists(tx: Transaction<CatalogSchema>, binding: RoleBinding) {
  const held = await bindingsOf(tx, binding);
  const twin = held.find(
    ({ resourceId, role }) => resourceId === binding.resourceId && role === binding.role,
  );
  return fault('binding-exists', { id: twin?.id ?? binding.id });
}

function about({ organizationId, id }: RoleBinding) {
  return { organizationId, resourceType: 'role_binding', resourceId: id };
}

function fieldsOf({ principal, resourceType, resourceId, role }: RoleBinding) {
  return { principalType: principal.type, principalId: principal.id, resourceType, resourceId, role };
}
