// The catalog's port for access control: everything authentication depends on, and how it changes.
import type { Principal, RoleBinding } from '../../domain/administration/model.ts';

export interface KeyCredential {
  readonly id: string;
  readonly projectId: string;
  readonly sha256: string;
}

/** Tokens carry the generation of their creation and become invalid when it increases. */
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

export interface ProjectEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
}

/** Everything that authentication and permissions depend on. */
export interface AccessSnapshot {
  readonly projects: readonly ProjectEntry[];
  readonly keys: readonly KeyCredential[];
  readonly serviceAccounts: readonly ServiceAccountCredential[];
  readonly users: readonly UserCredential[];
  readonly bindings: readonly RoleBinding[];
}

/** A committed change of what the snapshot holds. */
export type AccessChange =
  /** Its service accounts and all its bindings are gone with it. */
  | { readonly kind: 'organization-gone'; readonly id: string }
  | { readonly kind: 'project'; readonly project: ProjectEntry }
  /** Its keys and every binding on it are gone with it. */
  | { readonly kind: 'project-gone'; readonly id: string }
  | { readonly kind: 'key'; readonly key: KeyCredential }
  | { readonly kind: 'service-account'; readonly account: ServiceAccountCredential }
  | { readonly kind: 'user'; readonly user: UserCredential }
  /** A key, a service account or a person is gone with its bindings. */
  | { readonly kind: 'principal-gone'; readonly principal: Principal }
  | { readonly kind: 'binding'; readonly binding: RoleBinding }
  | { readonly kind: 'binding-gone'; readonly binding: RoleBinding };

export interface AccessStore {
  /** Calls the listener after the commit of each change, in order, before the promise of the change resolves. */
  onChange(listener: (change: AccessChange) => void): void;
  /** Calls the listener with the present state after changes that `onChange` does not report: see ForeignChanges. */
  onReload(listener: (snapshot: AccessSnapshot) => void): void;
  /** Reads the state before the first reported change. */
  snapshot(): Promise<AccessSnapshot>;
}
