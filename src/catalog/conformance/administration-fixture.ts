// An organization for tests of the catalog's administration, with helpers.
import assert from 'node:assert/strict';
import { type Actor, SYSTEM } from '../../domain/administration/audit.ts';
import type { Grant } from '../../domain/administration/model.ts';
import type { Role } from '../../domain/administration/roles.ts';
import { Fault, type FaultName } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { AdministrationStore, Project } from '../port.ts';

export const EARLY = '2026-01-01T00:00:00.000Z';
export const LATE = '2999-01-01T00:00:00.000Z';
export const ALL = { limit: 100, after: null } as const;
export const BY: Actor = { type: 'service_account', id: 'nobody-in-particular', requestId: 'request-1' };

/** A new organization with a project, in any existing store. */
export class AdministrationFixture {
  readonly organizationId = newId();
  readonly store: AdministrationStore;
  readonly project: Project;

  constructor(store: AdministrationStore) {
    this.store = store;
    this.project = this.newProject();
  }

  static async make(store: AdministrationStore): Promise<AdministrationFixture> {
    const fixture = new AdministrationFixture(store);
    await store.organizations.create({ id: fixture.organizationId, name: 'Home', createdAt: EARLY }, SYSTEM);
    await store.projects.create(fixture.project, SYSTEM);
    return fixture;
  }

  ref(id: string) {
    return { organizationId: this.organizationId, id };
  }

  newProject(): Project {
    const { organizationId } = this;
    const fields = { name: 'Books', maxPods: 0, forceEncryptionWithCmek: false, createdAt: EARLY };
    return { id: newId(), organizationId, ...fields };
  }

  grant(role: Role): Grant {
    return role.startsWith('Org')
      ? { resourceType: 'organization', resourceId: this.organizationId, role }
      : { resourceType: 'project', resourceId: this.project.id, role };
  }

  async account(...roles: readonly Role[]) {
    const { organizationId } = this;
    const id = newId();
    const account = { id, organizationId, name: 'bot', clientId: id, createdAt: EARLY, updatedAt: EARLY };
    const grants = roles.map((role) => this.grant(role));
    await this.store.serviceAccounts.create({ ...account, secretSha256: 'aa' }, grants, BY);
    return account;
  }

  async key(...roles: readonly ('ProjectEditor' | 'ProjectViewer' | 'DataPlaneViewer')[]) {
    const key = { ...this.ref(newId()), projectId: this.project.id, name: 'key', roles, createdAt: EARLY };
    await this.store.apiKeys.create({ ...key, label: 'abc', sha256: newId() }, BY);
    return key;
  }

  invite(email: string, ...roles: readonly Role[]) {
    const invite = { ...this.ref(newId()), email, createdAt: EARLY, expiresAt: LATE };
    return this.store.invites.create(
      invite,
      roles.map((role) => this.grant(role)),
      BY,
    );
  }

  async user(email: string, ...roles: readonly Role[]) {
    const invite = await this.invite(email, ...roles);
    return this.accept(invite);
  }

  accept(
    { id, linkNumber }: { readonly id: string; readonly linkNumber: number },
    at = EARLY,
    name = 'A person',
  ) {
    return this.store.invites.accept(this.ref(id), { linkNumber, at, name, requestId: null });
  }

  async bindings(principalId?: string) {
    const query = { ...ALL, visible: 'all', ...(principalId === undefined ? {} : { principalId }) } as const;
    return (await this.store.roleBindings.list(this.organizationId, query)).items;
  }

  /** @param visible default `all`, as to an owner of the organization */
  bind(
    type: 'user' | 'service_account' | 'api_key' | 'invite',
    principalId: string,
    role: Role,
    visible: 'all' | readonly string[] = 'all',
  ) {
    const fields = { ...this.ref(newId()), principal: { type, id: principalId }, createdAt: EARLY };
    return this.store.roleBindings.create({ ...fields, ...this.grant(role) }, BY, visible);
  }

  async unbind(principalId: string, role: Role): Promise<void> {
    const binding = (await this.bindings(principalId)).find((each) => each.role === role);
    await this.store.roleBindings.delete(this.ref(binding?.id ?? 'none'), BY);
  }

  async actions(): Promise<readonly string[]> {
    const query = { organizationId: this.organizationId, limit: 100, before: null };
    return (await this.store.audit.list(query)).items.map(({ action }) => action);
  }
}

/** Asserts that the work fails with this condition. */
export async function refuses(work: Promise<unknown>, condition: FaultName): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.condition, condition);
    return true;
  });
}

/** Raised whenever the tokens of a person end. */
export async function generationOf(store: AdministrationStore, id: string): Promise<number> {
  const { users } = await store.access.snapshot();
  return users.find((user) => user.id === id)?.generation ?? assert.fail(`no user ${id}`);
}
