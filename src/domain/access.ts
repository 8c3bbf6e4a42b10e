// Proof of authentication: every domain operation takes an Access, and only the auth step mints one.

declare const minted: unique symbol;

/** Who calls, and within which project. Cannot be built outside `mintProjectAccess`. */
export interface ProjectAccess {
  readonly [minted]: true;
  readonly organizationId: string;
  readonly projectId: string;
  /** The API key's id (never the key itself); what logs and audit records name. */
  readonly principalId: string;
}

/**
 * Mints an Access. Called by the server's auth step alone, and by engine threads when they
 * receive a request that step has already passed.
 */
export function mintProjectAccess(facts: Omit<ProjectAccess, typeof minted>): ProjectAccess {
  return facts as ProjectAccess;
}
