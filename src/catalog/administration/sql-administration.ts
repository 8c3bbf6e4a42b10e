// The administration's part of the catalog over SQL, put together from one file per kind of thing.
import type { Kysely } from 'kysely';
import type { AdministrationStore } from '../administration-port.ts';
import { ChangeRunner } from '../change-runner.ts';
import type { CatalogSchema } from '../schema.ts';
import { readAccessFacts } from './access-facts.ts';
import { apiKeyMethods } from './api-keys.ts';
import { listAuditEntries, recordDenials } from './audit-rows.ts';
import { inviteMethods } from './invites.ts';
import { organizationMethods } from './organizations.ts';
import { projectMethods } from './projects.ts';
import { roleBindingMethods } from './role-bindings.ts';
import { serviceAccountMethods } from './service-accounts.ts';
import { signingKeyMethods } from './signing-keys.ts';
import { userMethods } from './users.ts';

/** Expects a migrated database. */
export function sqlAdministration(db: Kysely<CatalogSchema>): AdministrationStore {
  const runner = new ChangeRunner(db);
  return {
    onAccessChange: (listener) => runner.listen(listener),
    accessFacts: () => readAccessFacts(db),
    ...organizationMethods(runner),
    ...projectMethods(runner),
    ...apiKeyMethods(runner),
    ...userMethods(runner),
    ...inviteMethods(runner),
    ...serviceAccountMethods(runner),
    ...roleBindingMethods(runner),
    listAuditEntries: (query) => listAuditEntries(db, query),
    recordDenials: (denials, deniedMax) => recordDenials(db, denials, deniedMax),
    ...signingKeyMethods(runner),
  };
}
