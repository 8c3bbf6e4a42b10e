// Organizations in SQL. A deleted one is invisible at once; its row goes with the last row of its projects.
import { fault } from '../../domain/faults.ts';
import type { ChangeRunner } from '../change-runner.ts';
import type { OrganizationStore } from './port.ts';
import { DELETION, removePurgeable, requireOrganization } from './projects.ts';
import { organizationOf } from './rows.ts';

export function sqlOrganizations(runner: ChangeRunner): OrganizationStore {
  const { db } = runner;
  const living = () => db.selectFrom('organizations').selectAll().where('deleted_at', 'is', null);
  return {
    list: async () => {
      const rows = await living().orderBy('created_at').orderBy('id').execute();
      return rows.map(organizationOf);
    },

    find: async (id) => {
      const row = await living().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : organizationOf(row);
    },

    create: ({ id, name, createdAt }, by) =>
      runner.run(by, async ({ tx, audit }) => {
        await tx.insertInto('organizations').values({ id, name, created_at: createdAt }).execute();
        audit({ ...about(id), action: 'organization.create', details: { name } });
      }),

    rename: (id, name, by) =>
      runner.run(by, async ({ tx, audit }) => {
        const row = await tx
          .updateTable('organizations')
          .set({ name })
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw fault('organization-not-found', { id });
        audit({ ...about(id), action: 'organization.update', details: { name } });
        return organizationOf(row);
      }),

    delete: (id, by) =>
      runner.run(by, async ({ tx, audit, notify, now }) => {
        await requireOrganization(tx, id);
        const project = await tx
          .selectFrom('projects')
          .select('id')
          .where('organization_id', '=', id)
          .where('deleted_at', 'is', null)
          .limit(1)
          .executeTakeFirst();
        if (project !== undefined) throw fault('organization-not-empty', { id });
        await tx.deleteFrom('role_bindings').where('organization_id', '=', id).execute();
        await tx.deleteFrom('invites').where('organization_id', '=', id).execute();
        await tx.deleteFrom('passwords').where('organization_id', '=', id).execute();
        await tx.deleteFrom('identities').where('organization_id', '=', id).execute();
        await tx.deleteFrom('service_accounts').where('organization_id', '=', id).execute();
        await tx.updateTable('organizations').set({ deleted_at: now }).where('id', '=', id).execute();
        await removePurgeable(tx);
        audit({ ...about(id), action: DELETION });
        notify({ kind: 'organization-gone', id });
      }),
  };
}

function about(id: string) {
  return { organizationId: id, resourceType: 'organization', resourceId: id };
}
