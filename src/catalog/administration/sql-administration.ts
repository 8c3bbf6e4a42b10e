// The administration's part of the catalog over SQL, one file per resource.
import type { Kysely } from 'kysely';
import { ChangeRunner } from '../change-runner.ts';
import type { ForeignChanges } from '../foreign-changes.ts';
import type { CatalogSchema } from '../schema.ts';
import { readAccessSnapshot } from './access-snapshot.ts';
import { sqlApiKeys } from './api-keys.ts';
import { listAuditEntries, recordDenials } from './audit-rows.ts';
import { sqlIdentities } from './identities.ts';
import { sqlInvites } from './invites.ts';
import { sqlOrganizations } from './organizations.ts';
import { sqlPasswords } from './passwords.ts';
import type { AdministrationStore } from './port.ts';
import { sqlProjects } from './projects.ts';
import { sqlQuotas } from './quotas.ts';
import { sqlRoleBindings } from './role-bindings.ts';
import { sqlServiceAccounts } from './service-accounts.ts';
import { sqlSigningKeys } from './signing-keys.ts';
import { sqlUsers } from './users.ts';

/** Expects a migrated database. */
export function sqlAdministration(db: Kysely<CatalogSchema>, foreign: ForeignChanges): AdministrationStore {
  const runner = new ChangeRunner(db);
  return {
    access: {
      onChange: (listener) => runner.listen(listener),
      // Reading takes its turn among this node's changes, so listeners hear both in the order of the commits.
      onReload: (listener) => foreign.listen('access', async () => listener(await readAccessSnapshot(db))),
      snapshot: () => readAccessSnapshot(db),
    },
    organizations: sqlOrganizations(runner),
    projects: sqlProjects(runner),
    apiKeys: sqlApiKeys(runner),
    users: sqlUsers(runner),
    passwords: sqlPasswords(runner),
    identities: sqlIdentities(runner),
    invites: sqlInvites(runner),
    serviceAccounts: sqlServiceAccounts(runner),
    roleBindings: sqlRoleBindings(runner),
    audit: {
      list: (query) => listAuditEntries(db, query),
      record: (entry, by) => runner.run(by, async ({ audit }) => audit(entry)),
      recordDenials: (denials, deniedMax) => recordDenials(db, denials, deniedMax),
    },
    signingKeys: sqlSigningKeys(runner),
    quotas: sqlQuotas(runner),
  };
}
