// Reads everything that authentication depends on, in one transaction at the start.
import type { Kysely } from 'kysely';
import type { CatalogSchema } from '../schema.ts';
import type { AccessSnapshot } from './port.ts';
import { bindingOf, credentialOf } from './rows.ts';

export async function readAccessSnapshot(db: Kysely<CatalogSchema>): Promise<AccessSnapshot> {
  return db.transaction().execute(async (tx) => {
    const projects = await tx
      .selectFrom('projects')
      .select(['id', 'organization_id', 'name'])
      .where('deleted_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const keys = await tx.selectFrom('api_keys').select(['id', 'project_id', 'sha256']).execute();
    const accounts = await tx.selectFrom('service_accounts').selectAll().execute();
    const users = await tx.selectFrom('users').select(['id', 'email', 'generation']).execute();
    const bindings = await tx.selectFrom('role_bindings').selectAll().execute();
    return {
      projects: projects.map(({ id, organization_id, name }) => ({
        id,
        organizationId: organization_id,
        name,
      })),
      keys: keys.map(({ id, project_id, sha256 }) => ({ id, projectId: project_id, sha256 })),
      serviceAccounts: accounts.map(credentialOf),
      users,
      bindings: bindings.map(bindingOf),
    };
  });
}
