// The catalog's part for organization administration. Changes and their audit entries are one transaction.
import type { Actor, AuditEntry } from '../domain/administration/audit.ts';
import type {
  ApiKey,
  Grant,
  Invite,
  Organization,
  Principal,
  Project,
  ResourceType,
  RoleBinding,
  ServiceAccount,
  User,
} from '../domain/administration/model.ts';
import type { Page, PageQuery, Position } from '../domain/administration/pages.ts';
import type { ApiKeyRole, Role } from '../domain/administration/roles.ts';

export type {
  ApiKey,
  AuditEntry,
  Invite,
  Organization,
  Page,
  PageQuery,
  Position,
  Project,
  RoleBinding,
  ServiceAccount,
  User,
};

/** Names a thing within its organization: one of another organization is not found by it. */
export interface Ref {
  readonly organizationId: string;
  readonly id: string;
}

/** What is absent stays as it is. */
export interface ProjectChange {
  readonly name?: string;
  readonly maxPods?: number;
  readonly forceEncryptionWithCmek?: boolean;
}

export interface NewApiKey extends ApiKey {
  /** The public part of the key; empty when it has none. */
  readonly label: string;
  /** Of the whole key, hex. The key itself is never kept. */
  readonly sha256: string;
}

/** `roles` replaces all of them. */
export interface ApiKeyChange {
  readonly name?: string;
  readonly roles?: readonly ApiKeyRole[];
}

export interface NewServiceAccount extends ServiceAccount {
  readonly secretSha256: string;
}

export type NewInvite = Omit<Invite, 'processedAt' | 'linkNumber'>;

/** What the holder of an invite's link brings. */
export interface InviteLink {
  readonly linkNumber: number;
  readonly at: string;
  /** The person's name, for an account that has to be made. */
  readonly name: string | null;
  readonly requestId: string | null;
}

/** Filters combine with AND; absent ones let everything pass. */
export interface RoleBindingQuery extends PageQuery {
  readonly principalType?: Principal['type'];
  readonly principalId?: string;
  readonly resourceType?: ResourceType;
  readonly resourceId?: string;
  readonly role?: Role;
  /** Only bindings on these projects; `all` for every binding of the organization. */
  readonly visible: 'all' | readonly string[];
}

export interface AuditQuery {
  readonly organizationId: string;
  readonly limit: number;
  /** Entries older than this one; null for the newest. `createdAt` is the entry's `at`. */
  readonly before: Position | null;
  readonly actorId?: string;
  readonly action?: string;
  readonly resourceId?: string;
  readonly outcome?: AuditEntry['outcome'];
}

/** A denied access before it is an entry; the catalog adds the id. */
export type Denial = Omit<AuditEntry, 'id' | 'outcome'>;

/** A key that signs tokens and cursors. */
export interface SigningKey {
  readonly id: string;
  /** base64url */
  readonly secret: string;
  readonly createdAt: string;
}

export interface KeyCredential {
  readonly id: string;
  readonly projectId: string;
  readonly sha256: string;
}

/** Tokens carry the generation they were made in; they die when it moves on. */
export interface ServiceAccountCredential {
  readonly id: string;
  readonly organizationId: string;
  readonly clientId: string;
  readonly secretSha256: string;
  readonly generation: number;
}

export interface UserCredential {
  readonly id: string;
  readonly email: string;
  readonly generation: number;
}

export interface ProjectFact {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
}

/** All that authentication and permissions go by. */
export interface AccessFacts {
  readonly projects: readonly ProjectFact[];
  readonly keys: readonly KeyCredential[];
  readonly serviceAccounts: readonly ServiceAccountCredential[];
  readonly users: readonly UserCredential[];
  readonly bindings: readonly RoleBinding[];
}

/** A committed change of the facts above. */
export type AccessChange =
  /** With it go its service accounts and all bindings. */
  | { readonly kind: 'organization-gone'; readonly id: string }
  | { readonly kind: 'project'; readonly project: ProjectFact }
  /** With it go its keys and every binding on it. */
  | { readonly kind: 'project-gone'; readonly id: string }
  | { readonly kind: 'key'; readonly key: KeyCredential }
  | { readonly kind: 'service-account'; readonly account: ServiceAccountCredential }
  | { readonly kind: 'user'; readonly user: UserCredential }
  /** A key or a service account, with its bindings. */
  | { readonly kind: 'principal-gone'; readonly principal: Principal }
  | { readonly kind: 'binding'; readonly binding: RoleBinding }
  | { readonly kind: 'binding-gone'; readonly binding: RoleBinding };

/**
 * Every change takes `by`: who asks for it. Its audit entry is written in the same transaction, so there is
 * no change without one. When the promise of a change resolves, it is on disk and every listener knows it.
 * `find...` resolves to null for what is not in the organization; changes throw the `...-not-found` fault.
 * Rules that span rows (the last owner, one invite per address) are held by the transaction, whatever runs
 * beside it.
 */
export interface AdministrationStore {
  /** The listener is told of each change after its commit, in order, before the change's promise resolves. */
  onAccessChange(listener: (change: AccessChange) => void): void;
  /** For the start: what was before the first change told. */
  accessFacts(): Promise<AccessFacts>;

  /** Oldest first, as all lists but that of audit entries. */
  listOrganizations(): Promise<readonly Organization[]>;
  findOrganization(id: string): Promise<Organization | null>;
  createOrganization(organization: Organization, by: Actor): Promise<void>;
  /** @throws organization-not-found */
  renameOrganization(id: string, name: string, by: Actor): Promise<Organization>;
  /** With its principals; audit entries stay. @throws organization-not-found, organization-not-empty */
  deleteOrganization(id: string, by: Actor): Promise<void>;

  listProjects(organizationId: string): Promise<readonly Project[]>;
  findProject(ref: Ref): Promise<Project | null>;
  /**
   * A creator that is a user or a service account becomes its ProjectOwner.
   * @throws organization-not-found, unauthenticated when the creator is gone
   */
  createProject(project: Project, by: Actor): Promise<void>;
  /** @throws project-not-found, invalid-argument when encryption would be taken back */
  updateProject(ref: Ref, change: ProjectChange, by: Actor): Promise<Project>;
  /**
   * From here on no method finds it, its keys are dead and bindings on it are gone. The row goes later, by
   * `purgeProjects`. Indexes that are being deleted do not stand in the way.
   * @throws project-not-found, project-not-empty
   */
  deleteProject(ref: Ref, by: Actor): Promise<void>;
  /** Removes rows of deleted projects that nothing refers to any more; resolves to how many are still left. */
  purgeProjects(): Promise<number>;

  /** Of one project; empty when it is not in the organization. */
  listApiKeys(project: Ref): Promise<readonly ApiKey[]>;
  findApiKey(ref: Ref): Promise<ApiKey | null>;
  /** Its roles become its bindings. @throws project-not-found */
  createApiKey(key: NewApiKey, by: Actor): Promise<void>;
  /** @throws api-key-not-found */
  updateApiKey(ref: Ref, change: ApiKeyChange, by: Actor): Promise<ApiKey>;
  /** @throws api-key-not-found */
  deleteApiKey(ref: Ref, by: Actor): Promise<void>;

  /** `email` matches exactly but for case. */
  listUsers(organizationId: string, query: PageQuery & { readonly email?: string }): Promise<Page<User>>;
  findUser(ref: Ref): Promise<User | null>;
  /** Takes the person out of the organization; the account stays. @throws user-not-found, last-owner */
  removeUser(ref: Ref, by: Actor): Promise<void>;

  /** Pending and expired ones. */
  listInvites(organizationId: string, query: PageQuery): Promise<Page<Invite>>;
  /** Accepted ones, too. */
  findInvite(ref: Ref): Promise<Invite | null>;
  /** @throws invite-exists, already-member, invites-exhausted, project-not-found */
  createInvite(invite: NewInvite, grants: readonly Grant[], by: Actor): Promise<Invite>;
  /** Sets a new end and makes a new link number. @throws invite-not-found, invite-processed, invites-exhausted */
  resendInvite(ref: Ref, expiresAt: string, by: Actor): Promise<Invite>;
  /** With its bindings. @throws invite-not-found, invite-processed */
  deleteInvite(ref: Ref, by: Actor): Promise<void>;
  /**
   * Makes the person a user, or takes the account of that address, and moves the invite's bindings to it.
   * @throws invite-not-found when gone, expired at `at` or of another link number; invite-processed
   */
  acceptInvite(ref: Ref, link: InviteLink): Promise<User>;

  listServiceAccounts(organizationId: string, query: PageQuery): Promise<Page<ServiceAccount>>;
  findServiceAccount(ref: Ref): Promise<ServiceAccount | null>;
  /** @throws organization-not-found, project-not-found */
  createServiceAccount(account: NewServiceAccount, grants: readonly Grant[], by: Actor): Promise<void>;
  /** @throws service-account-not-found */
  renameServiceAccount(
    ref: Ref,
    change: { readonly name: string; readonly updatedAt: string },
    by: Actor,
  ): Promise<ServiceAccount>;
  /** The old secret and every token made from it are dead. @throws service-account-not-found */
  rotateSecret(ref: Ref, secretSha256: string, by: Actor): Promise<ServiceAccount>;
  /** With its bindings. @throws service-account-not-found, last-owner */
  deleteServiceAccount(ref: Ref, by: Actor): Promise<void>;

  listRoleBindings(organizationId: string, query: RoleBindingQuery): Promise<Page<RoleBinding>>;
  findRoleBinding(ref: Ref): Promise<RoleBinding | null>;
  /**
   * @throws principal-not-found, project-not-found, binding-exists; invalid-argument when the role does not
   *   fit the resource, or the binding is an API key's and not one of its roles on its project
   */
  createRoleBinding(binding: RoleBinding, by: Actor): Promise<void>;
  /** @throws role-binding-not-found, last-owner, last-membership */
  deleteRoleBinding(ref: Ref, by: Actor): Promise<void>;

  /** Newest first. */
  listAuditEntries(query: AuditQuery): Promise<Page<AuditEntry>>;
  /** All in one transaction; keeps at most the newest `deniedMax` denied ones. */
  recordDenials(denials: readonly Denial[], deniedMax: number): Promise<void>;

  /** Newest first: the first one signs, all of them verify. */
  listSigningKeys(): Promise<readonly SigningKey[]>;
  /** The newest `keep` keys stay. */
  addSigningKey(key: SigningKey, keep: number): Promise<void>;
}
