// Service accounts in SQL. The generation counts secrets: tokens carry it and become invalid when it increases.
import type { Transaction } from 'kysely';
import { fault } from '../../domain/faults.ts';
import type { ChangeRunner } from '../change-runner.ts';
import type { CatalogSchema, ServiceAccountTable } from '../schema.ts';
import { bindingsOf, give, takeBindings } from './bindings.ts';
import { byCreation, isAfter } from './page-of.ts';
import type { Ref, ServiceAccountStore } from './port.ts';
import { requireOrganization } from './projects.ts';
import { credentialOf, serviceAccountOf } from './rows.ts';

export function sqlServiceAccounts(runner: ChangeRunner): ServiceAccountStore {
  const { db } = runner;
  return {
    list: async (organizationId, page) => {
      const rows = await db
        .selectFrom('service_accounts')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where(isAfter('service_accounts', page))
        .orderBy('created_at')
        .orderBy('id')
        .limit(page.limit + 1)
        .execute();
      return byCreation(rows.map(serviceAccountOf), page.limit);
    },

    find: async ({ organizationId, id }) => {
      const row = await db
        .selectFrom('service_accounts')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : serviceAccountOf(row);
    },

    create: (account, grants, by) =>
      runner.run(by, async (change) => {
        await requireOrganization(change.tx, account.organizationId);
        const row = {
          id: account.id,
          organization_id: account.organizationId,
          name: account.name,
          client_id: account.clientId,
          secret_sha256: account.secretSha256,
          generation: 1,
          created_at: account.createdAt,
          updated_at: account.updatedAt,
        };
        await change.tx.insertInto('service_accounts').values(row).execute();
        change.notify({ kind: 'service-account', account: credentialOf(row) });
        await give(change, holder(account), grants);
        const details = { name: account.name, roles: grants.map(({ role }) => role) };
        change.audit({ ...about(account), action: 'service_account.create', details });
      }),

    rename: (ref, { name, updatedAt }, by) =>
      runner.run(by, async ({ tx, audit }) => {
        const row = { ...(await requireAccount(tx, ref)), name, updated_at: updatedAt };
        const columns = { name, updated_at: updatedAt };
        await tx.updateTable('service_accounts').set(columns).where('id', '=', ref.id).execute();
        audit({ ...about(ref), action: 'service_account.update', details: { name } });
        return serviceAccountOf(row);
      }),

    rotateSecret: (ref, secretSha256, by) =>
      runner.run(by, async ({ tx, audit, notify }) => {
        const current = await requireAccount(tx, ref);
        const columns = { secret_sha256: secretSha256, generation: current.generation + 1 };
        await tx.updateTable('service_accounts').set(columns).where('id', '=', ref.id).execute();
        notify({ kind: 'service-account', account: credentialOf({ ...current, ...columns }) });
        audit({ ...about(ref), action: 'service_account.rotate_secret', details: { name: current.name } });
        return serviceAccountOf(current);
      }),

    delete: (ref, by) =>
      runner.run(by, async (change) => {
        const { name } = await requireAccount(change.tx, ref);
        await takeBindings(change, await bindingsOf(change.tx, holder(ref)));
        await change.tx.deleteFrom('service_accounts').where('id', '=', ref.id).execute();
        change.notify({ kind: 'principal-gone', principal: holder(ref).principal });
        change.audit({ ...about(ref), action: 'service_account.delete', details: { name } });
      }),
  };
}

async function requireAccount(
  tx: Transaction<CatalogSchema>,
  { organizationId, id }: Ref,
): Promise<ServiceAccountTable> {
  const row = await tx
    .selectFrom('service_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw fault('service-account-not-found', { id });
  return row;
}

function holder({ organizationId, id }: Ref) {
  return { organizationId, principal: { type: 'service_account', id } as const };
}

function about({ organizationId, id }: Ref) {
  return { organizationId, resourceType: 'service_account', resourceId: id };
}
