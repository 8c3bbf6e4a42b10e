// The query of an organization's members: a binding there makes a person one.
import type { Kysely } from 'kysely';
import type { CatalogSchema } from '../schema.ts';

export function membersOf(db: Kysely<CatalogSchema>, organizationId: string) {
  return db
    .selectFrom('users')
    .selectAll('users')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('role_bindings')
          .select('role_bindings.id')
          .whereRef('role_bindings.principal_id', '=', 'users.id')
          .where('role_bindings.principal_type', '=', 'user')
          .where('role_bindings.organization_id', '=', organizationId),
      ),
    );
}
