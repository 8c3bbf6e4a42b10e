// The catalog's port for administration, one store per resource. Changes and their audit entries are one transaction.
import type { Actor, AuditDetails, AuditEntry } from '../../domain/administration/audit.ts';
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
} from '../../domain/administration/model.ts';
import type { Page, PageQuery, Position } from '../../domain/administration/pages.ts';
import type { ProviderPerson } from '../../domain/administration/provider-sign-in.ts';
import type { ApiKeyRole, Role } from '../../domain/administration/roles.ts';
import type { SubjectQuota } from '../../domain/quotas.ts';
import type { AccessStore } from './access-port.ts';

export type * from './access-port.ts';
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

/** Identifies a resource within its organization; it finds nothing in other organizations. */
export interface Ref {
  readonly organizationId: string;
  readonly id: string;
}

/** Absent fields keep their values. */
export interface ProjectChange {
  readonly name?: string;
  readonly maxPods?: number;
  readonly forceEncryptionWithCmek?: boolean;
}

export interface NewApiKey extends ApiKey {
  /** The public part of the key; empty when it has none. */
  readonly label: string;
  /** Hexadecimal digest of the whole key. The key itself is never stored. */
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

/** What the holder of an invite's link presents. */
export interface InviteLink {
  readonly linkNumber: number;
  readonly at: string;
  /** The person's name, for a new account. */
  readonly name: string | null;
  readonly requestId: string | null;
}

/** Filters combine with AND; absent ones match everything. */
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

/**
 * Every change takes `by`: who requests it. Its audit entry is written in the same transaction, so there is
 * no change without one. When the promise of a change resolves, it is on disk and every listener knows it.
 * `find` resolves to null for what is not in the organization; changes throw the `...-not-found` fault.
 * Transactions enforce rules that span rows (the last owner, one invite per address), whatever runs in parallel.
 */
export interface AdministrationStore {
  readonly access: AccessStore;
  readonly organizations: OrganizationStore;
  readonly projects: ProjectStore;
  readonly apiKeys: ApiKeyStore;
  readonly users: UserStore;
  readonly passwords: PasswordStore;
  readonly identities: IdentityStore;
  readonly invites: InviteStore;
  readonly serviceAccounts: ServiceAccountStore;
  readonly roleBindings: RoleBindingStore;
  readonly audit: AuditStore;
  readonly signingKeys: SigningKeyStore;
  readonly quotas: QuotaStore;
}

export interface QuotaStore {
  /** Those of all organizations. */
  list(): Promise<readonly SubjectQuota[]>;
  /** Replaces the quota of a subject, which the caller has found in the organization. */
  set(quota: SubjectQuota, organizationId: string, by: Actor): Promise<void>;
}

export interface OrganizationStore {
  /** Oldest first, like all lists except that of audit entries. */
  list(): Promise<readonly Organization[]>;
  find(id: string): Promise<Organization | null>;
  create(organization: Organization, by: Actor): Promise<void>;
  /** @throws organization-not-found */
  rename(id: string, name: string, by: Actor): Promise<Organization>;
  /** Deletes its principals, too; audit entries stay. @throws organization-not-found, organization-not-empty */
  delete(id: string, by: Actor): Promise<void>;
}

export interface ProjectStore {
  list(organizationId: string): Promise<readonly Project[]>;
  find(ref: Ref): Promise<Project | null>;
  /**
   * A creator that is a user or a service account becomes its ProjectOwner.
   * @throws organization-not-found, unauthenticated when the creator is gone
   */
  create(project: Project, by: Actor): Promise<void>;
  /** @throws project-not-found, invalid-argument when encryption would be switched off */
  update(ref: Ref, change: ProjectChange, by: Actor): Promise<Project>;
  /**
   * From now on no method finds it, its keys are invalid and bindings on it are gone. `purge` removes the row later.
   * Indexes that are being deleted do not prevent it.
   * @throws project-not-found, project-not-empty
   */
  delete(ref: Ref, by: Actor): Promise<void>;
  /** Removes rows of deleted projects that nothing refers to anymore; resolves to how many are left. */
  purge(): Promise<number>;
}

export interface ApiKeyStore {
  /** The keys of one project; empty when the project is not in the organization. */
  list(project: Ref): Promise<readonly ApiKey[]>;
  find(ref: Ref): Promise<ApiKey | null>;
  /** Its roles become its bindings. @throws project-not-found */
  create(key: NewApiKey, by: Actor): Promise<void>;
  /** @throws api-key-not-found */
  update(ref: Ref, change: ApiKeyChange, by: Actor): Promise<ApiKey>;
  /** @throws api-key-not-found */
  delete(ref: Ref, by: Actor): Promise<void>;
  /** True if the key was deleted by itself, not with its project. @param since when it was still there, an ISO time */
  wasDeleted(ref: Ref, since: string): Promise<boolean>;
}

export interface UserStore {
  /** `email` must match exactly except for case. */
  list(organizationId: string, query: PageQuery & { readonly email?: string }): Promise<Page<User>>;
  find(ref: Ref): Promise<User | null>;
  /** Removes the person from the organization; the account stays. @throws user-not-found, last-owner */
  remove(ref: Ref, by: Actor): Promise<void>;
  /** Invalidates the person's tokens and sessions, at every node. @throws user-not-found */
  endSessions(ref: Ref, by: Actor): Promise<void>;
}

export interface StoredPassword {
  readonly userId: string;
  readonly organizationId: string;
  readonly hash: string;
  /** True while groups at a provider give roles to the person, which a password does not open. */
  readonly hasGroupRoles: boolean;
  /** Of the person's tokens when the password was read. */
  readonly generation: number;
}

export interface PasswordStore {
  /** The password of a person; without an organization, the one that was set first. Null when there is none. */
  find(owner: {
    readonly email: string;
    readonly organizationId: string | null;
  }): Promise<StoredPassword | null>;
  /**
   * Sets the password of a member, and invalidates the person's tokens. Resolves to the generation of the next ones.
   * @throws user-not-found; invalid-argument while groups give roles to the person; unauthenticated when the former password is no longer `former`, null for none
   */
  set(
    ref: Ref,
    change: { readonly hash: string; readonly former: string | null },
    by: Actor,
  ): Promise<number>;
}

/** A person whom a provider has signed in, with what the settings make of its groups and address. */
export interface IdentitySignIn extends Pick<ProviderPerson, 'issuer' | 'subject' | 'email' | 'name'> {
  readonly organizationId: string;
  /** True if groups or the address make the person a member; else an invite must. */
  readonly isAdmitted: boolean;
  /** True if an open invite for the verified address makes the person a member. */
  readonly acceptsInvite: boolean;
  /** The roles of the groups. */
  readonly grants: readonly Grant[];
  readonly at: string;
  readonly requestId: string | null;
}

export interface IdentityStore {
  /**
   * Finds the person by issuer and subject, never by address, or creates it, and makes the roles those of the groups,
   * beside those that others gave. Resolves to null after taking all roles of a former member who has lost admission.
   * @throws sign-in-refused, with the reason; last-owner
   */
  signIn(request: IdentitySignIn): Promise<User | null>;
  /**
   * Connects an identity to a member who has proved both, and whose tokens are of this generation still.
   * @throws user-not-found, sign-in-refused
   */
  connect(
    member: Ref & { readonly generation: number },
    identity: Pick<ProviderPerson, 'issuer' | 'subject'>,
    by: Actor,
  ): Promise<User>;
}

export interface InviteStore {
  /** Pending and expired ones. */
  list(organizationId: string, query: PageQuery): Promise<Page<Invite>>;
  /** Finds accepted ones, too. */
  find(ref: Ref): Promise<Invite | null>;
  /** @throws organization-not-found, invite-exists, already-member, invites-exhausted, project-not-found */
  create(invite: NewInvite, grants: readonly Grant[], by: Actor): Promise<Invite>;
  /** Sets a new expiry and a new link number. @throws invite-not-found, invite-processed, invites-exhausted */
  resend(ref: Ref, expiresAt: string, by: Actor): Promise<Invite>;
  /** Deletes its bindings, too. @throws invite-not-found, invite-processed */
  delete(ref: Ref, by: Actor): Promise<void>;
  /**
   * Creates the user, or takes the account of that address, and moves the invite's bindings to it.
   * @throws invite-not-found when gone, expired at `at` or of another link number; invite-processed; already-member
   */
  accept(ref: Ref, link: InviteLink): Promise<User>;
}

export interface ServiceAccountStore {
  list(organizationId: string, query: PageQuery): Promise<Page<ServiceAccount>>;
  find(ref: Ref): Promise<ServiceAccount | null>;
  /** @throws organization-not-found, project-not-found */
  create(account: NewServiceAccount, grants: readonly Grant[], by: Actor): Promise<void>;
  /** @throws service-account-not-found */
  rename(
    ref: Ref,
    change: { readonly name: string; readonly updatedAt: string },
    by: Actor,
  ): Promise<ServiceAccount>;
  /** Invalidates the old secret and every token made from it. @throws service-account-not-found */
  rotateSecret(ref: Ref, secretSha256: string, by: Actor): Promise<ServiceAccount>;
  /** Deletes its bindings, too. @throws service-account-not-found, last-owner */
  delete(ref: Ref, by: Actor): Promise<void>;
}

export interface RoleBindingStore {
  list(organizationId: string, query: RoleBindingQuery): Promise<Page<RoleBinding>>;
  find(ref: Ref): Promise<RoleBinding | null>;
  /**
   * @throws principal-not-found, project-not-found, binding-exists; invalid-argument when the role does not
   *   fit the resource, or when the binding of an API key is not one of its roles on its project
   * @param visible projects whose keys the caller may see, beside that of the binding: keys of others are not found.
   *   Default none
   */
  create(binding: RoleBinding, by: Actor, visible?: 'all' | readonly string[]): Promise<void>;
  /** @throws role-binding-not-found, last-owner, last-membership */
  delete(ref: Ref, by: Actor): Promise<void>;
}

export interface AuditStore {
  /** Newest first. */
  list(query: AuditQuery): Promise<Page<AuditEntry>>;
  /** Adds the entry of a change that the catalog does not keep otherwise. */
  record(entry: AuditDetails, by: Actor): Promise<void>;
  /** Adds all of them in one transaction and keeps at most the newest `deniedMax` denials of anonymous callers, and as many of all others. */
  recordDenials(denials: readonly Denial[], deniedMax: number): Promise<void>;
}

export interface SigningKeyStore {
  /** Newest first: the first one signs, all of them verify. */
  list(): Promise<readonly SigningKey[]>;
  /** Keeps the newest `keep` keys. */
  add(key: SigningKey, keep: number): Promise<void>;
}
