// All principals in memory: found by key or token without waiting for the catalog, and always up to date.
import { hash, timingSafeEqual } from 'node:crypto';
import type {
  AccessChange,
  AccessSnapshot,
  AccessStore,
  KeyCredential,
  ProjectEntry,
  ServiceAccountCredential,
  UserCredential,
} from '../../catalog/port.ts';
import { mintProjectAccess, type ProjectAccess } from '../../domain/access.ts';
import { rightsOf } from '../../domain/administration/authorize.ts';
import type { Principal, RoleBinding } from '../../domain/administration/model.ts';
import type { PermissionSet, Rights } from '../../domain/administration/permissions.ts';
import { permissionsOf } from '../../domain/administration/roles.ts';
import { accessDifferences } from './access-differences.ts';

/** The principal of a valid API key. */
export interface KeyHolder {
  readonly access: ProjectAccess;
  readonly permissions: PermissionSet;
}

interface KnownKey extends KeyCredential {
  readonly digest: Buffer;
}

export class Principals {
  readonly #projects = new Map<string, ProjectEntry>();
  readonly #keys = new Map<string, KnownKey>();
  readonly #keyIdByDigest = new Map<string, string>();
  readonly #accounts = new Map<string, ServiceAccountCredential>();
  readonly #accountIdByClient = new Map<string, string>();
  readonly #users = new Map<string, UserCredential>();
  /** By principal, then by id. */
  readonly #bindings = new Map<string, Map<string, RoleBinding>>();
  /** Caches computed from the maps above; cleared when they change. */
  readonly #holders = new Map<string, KeyHolder>();
  readonly #rights = new Map<string, Rights>();

  /** Loads all principals and follows every later change. */
  static async follow(access: AccessStore): Promise<Principals> {
    const principals = new Principals();
    // Runs during the start, before anything can change.
    access.onChange((change) => principals.apply(change));
    access.onReload((snapshot) => principals.load(snapshot));
    principals.load(await access.snapshot());
    return principals;
  }

  /** Makes the state that of the snapshot. Principals that it has unchanged keep their holders. */
  load(snapshot: AccessSnapshot): void {
    for (const change of accessDifferences(this.#snapshot(), snapshot)) this.apply(change);
    // Those of other nodes come as they are heard of, which is not in the order of their creation.
    this.#projects.clear();
    for (const project of snapshot.projects) this.#projects.set(project.id, project);
  }

  apply(change: AccessChange): void {
    switch (change.kind) {
      case 'project':
        this.#projects.set(change.project.id, change.project);
        break;
      case 'project-gone':
        this.#dropProject(change.id);
        break;
      case 'organization-gone':
        this.#dropOrganization(change.id);
        break;
      case 'key':
        this.#keys.set(change.key.id, { ...change.key, digest: Buffer.from(change.key.sha256, 'hex') });
        this.#keyIdByDigest.set(change.key.sha256, change.key.id);
        break;
      case 'service-account':
        this.#accounts.set(change.account.id, change.account);
        this.#accountIdByClient.set(change.account.clientId, change.account.id);
        break;
      case 'user':
        this.#users.set(change.user.id, change.user);
        break;
      case 'principal-gone':
        this.#dropPrincipal(change.principal);
        break;
      case 'binding':
        this.#bindingsOf(change.binding.principal).set(change.binding.id, change.binding);
        this.#forget(change.binding.principal);
        break;
      case 'binding-gone':
        this.#dropBinding(change.binding);
        break;
    }
  }

  /** Returns the principal of a presented key; undefined when the key is missing or unknown. */
  authenticateKey(presented: string | undefined): KeyHolder | undefined {
    if (presented === undefined || presented === '') return undefined;
    const digest = hash('sha256', presented, 'hex');
    const key = this.#keys.get(this.#keyIdByDigest.get(digest) ?? '');
    // The map looks up a digest, whose prefix no caller can choose; the final comparison takes constant time.
    if (key === undefined || !timingSafeEqual(key.digest, Buffer.from(digest, 'hex'))) return undefined;
    return this.#holders.get(key.id) ?? this.#holderOf(key);
  }

  /** True while an answer of `authenticateKey` is valid: any change of the key or its roles replaces it. */
  isCurrent(holder: KeyHolder): boolean {
    return this.#holders.get(holder.access.principalId) === holder;
  }

  /** Returns the holder of a key by its id; undefined once the key or its project is gone. */
  keyHolder(id: string): KeyHolder | undefined {
    const key = this.#keys.get(id);
    return key === undefined ? undefined : (this.#holders.get(id) ?? this.#holderOf(key));
  }

  project(id: string): ProjectEntry | undefined {
    return this.#projects.get(id);
  }

  /** In the order of their creation. */
  projectsOf(organizationId: string): readonly ProjectEntry[] {
    return [...this.#projects.values()].filter((project) => project.organizationId === organizationId);
  }

  serviceAccount(id: string): ServiceAccountCredential | undefined {
    return this.#accounts.get(id);
  }

  serviceAccountByClient(clientId: string): ServiceAccountCredential | undefined {
    return this.#accounts.get(this.#accountIdByClient.get(clientId) ?? '');
  }

  user(id: string): UserCredential | undefined {
    return this.#users.get(id);
  }

  /** Undefined for a principal without a role in the organization. */
  rights(organizationId: string, principal: Principal): Rights | undefined {
    const key = `${keyOf(principal)}@${organizationId}`;
    const known = this.#rights.get(key);
    if (known !== undefined) return known;
    const bindings = [...(this.#bindings.get(keyOf(principal))?.values() ?? [])];
    const own = bindings.filter((binding) => binding.organizationId === organizationId);
    if (own.length === 0) return undefined;
    const rights = rightsOf(own);
    this.#rights.set(key, rights);
    return rights;
  }

  #snapshot(): AccessSnapshot {
    return {
      projects: [...this.#projects.values()],
      keys: [...this.#keys.values()].map(({ id, projectId, sha256 }) => ({ id, projectId, sha256 })),
      serviceAccounts: [...this.#accounts.values()],
      users: [...this.#users.values()],
      bindings: [...this.#bindings.values()].flatMap((held) => [...held.values()]),
    };
  }

  #holderOf({ id, projectId }: KnownKey): KeyHolder | undefined {
    const project = this.#projects.get(projectId);
    if (project === undefined) return undefined;
    const { organizationId } = project;
    const bindings = [...(this.#bindings.get(keyOf({ type: 'api_key', id }))?.values() ?? [])];
    const roles = bindings.filter(({ resourceId }) => resourceId === projectId).map(({ role }) => role);
    const access = mintProjectAccess({ organizationId, projectId, principalId: id });
    const holder = { access, permissions: permissionsOf(roles) };
    this.#holders.set(id, holder);
    return holder;
  }

  #bindingsOf(principal: Principal): Map<string, RoleBinding> {
    const known = this.#bindings.get(keyOf(principal)) ?? new Map<string, RoleBinding>();
    this.#bindings.set(keyOf(principal), known);
    return known;
  }

  /** Forgets principals without bindings: invites come and go and have nothing else here. */
  #dropBinding({ id, principal }: RoleBinding): void {
    const held = this.#bindings.get(keyOf(principal));
    held?.delete(id);
    if (held?.size === 0) this.#bindings.delete(keyOf(principal));
    this.#forget(principal);
  }

  #dropProject(id: string): void {
    this.#projects.delete(id);
    for (const key of this.#keys.values()) {
      if (key.projectId === id) this.#dropPrincipal({ type: 'api_key', id: key.id });
    }
    this.#dropBindings((binding) => binding.resourceType === 'project' && binding.resourceId === id);
  }

  #dropOrganization(id: string): void {
    for (const account of this.#accounts.values()) {
      if (account.organizationId === id) this.#dropPrincipal({ type: 'service_account', id: account.id });
    }
    this.#dropBindings((binding) => binding.organizationId === id);
  }

  #dropBindings(isGone: (binding: RoleBinding) => boolean): void {
    for (const bindings of this.#bindings.values()) {
      for (const binding of bindings.values()) if (isGone(binding)) this.#dropBinding(binding);
    }
    this.#holders.clear();
    this.#rights.clear();
  }

  #dropPrincipal(principal: Principal): void {
    const { type, id } = principal;
    if (type === 'api_key') {
      this.#keyIdByDigest.delete(this.#keys.get(id)?.sha256 ?? '');
      this.#keys.delete(id);
    } else if (type === 'service_account') {
      this.#accountIdByClient.delete(this.#accounts.get(id)?.clientId ?? '');
      this.#accounts.delete(id);
    } else if (type === 'user') this.#users.delete(id);
    this.#bindings.delete(keyOf(principal));
    this.#forget(principal);
  }

  #forget(principal: Principal): void {
    this.#holders.delete(principal.id);
    // A person may be in several organizations, but rarely is.
    for (const key of this.#rights.keys()) {
      if (key.startsWith(`${keyOf(principal)}@`)) this.#rights.delete(key);
    }
  }
}

function keyOf({ type, id }: Principal): string {
  return `${type}:${id}`;
}
