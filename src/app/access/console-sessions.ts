// Sessions of the console: known on the server, and valid only as long as the credential behind them.
import { hash, randomBytes } from 'node:crypto';
import { mintOrganizationAccess, mintProjectAccess, type OrganizationAccess } from '../../domain/access.ts';
import type {
  ConsoleProject,
  ConsoleSession,
  OwnSession,
  PresentSession,
  ProviderSession,
  SignInHolder,
} from '../../domain/administration/console-session.ts';
import { matchesDigest } from '../../domain/administration/credentials.ts';
import { SESSION_IDLE_SECONDS, SESSION_SECONDS_MAX } from '../../domain/administration/limits.ts';
import type { Principal } from '../../domain/administration/model.ts';
import type { PermissionSet, Rights } from '../../domain/administration/permissions.ts';
import type { KeptSession } from './kept-sessions.ts';
import type { KeyHolder, Principals } from './principals.ts';

/** All sessions; beyond these, the one unused for longest ends. */
const SESSIONS_MAX = 10_000;
/** Sessions of one principal, so that nobody ends those of others by signing in again and again. */
const SESSIONS_PER_PRINCIPAL_MAX = 100;
const SECRET_BYTES = 32;
const SESSION_ID_CHARS = 32;
const SECOND_MS = 1_000;
/** A use is worth noting this long after the last one that was. */
const NOTED_USE_MS = 60_000;

/** The two halves of a session: a page cannot read the cookie, and no other port of the host has the token. */
export interface SessionSecrets {
  readonly cookie: string;
  readonly token: string;
}

/** The holder of a session, as it is now. */
export interface SessionHolder extends PresentSession {
  /** Absent for API keys. */
  readonly organization?: OrganizationAccess;
  /** Absent where the holder sees no project, or not the requested one. */
  readonly project?: KeyHolder;
  readonly session: ConsoleSession;
}

type Holder = Omit<SessionHolder, 'sessionId' | 'generation'>;

interface StoredSession extends Omit<KeptSession, 'cookieSha256' | 'lastUsedAt'> {
  lastUsedAt: number;
}

export interface ConsoleSessionsOptions {
  readonly now?: () => number;
  /** Sessions of an earlier run, the one unused for longest first. */
  readonly kept?: readonly KeptSession[];
  /** Called when sessions were opened or ended, and now and then while they are used. */
  readonly onChange?: () => void;
  /** Resolves when what was opened and ended outlives a crash, and other nodes can know it. */
  readonly saved?: () => Promise<void>;
}

export class ConsoleSessions {
  readonly #principals: Principals;
  readonly #now: () => number;
  readonly #onChange: () => void;
  /** Resolves when what was opened and ended outlives a crash, and other nodes can know it. */
  readonly saved: () => Promise<void>;
  #notedAt = 0;
  /** By the digest of the cookie; the one unused for longest first. */
  readonly #sessions = new Map<string, StoredSession>();

  constructor(
    principals: Principals,
    {
      now = Date.now,
      kept = [],
      onChange = () => undefined,
      saved = () => Promise.resolve(),
    }: ConsoleSessionsOptions = {},
  ) {
    this.#principals = principals;
    this.#now = now;
    this.#onChange = onChange;
    this.saved = saved;
    for (const { cookieSha256, ...session } of kept) this.#sessions.set(cookieSha256, session);
  }

  /** What to keep over a restart, the session unused for longest first. */
  list(): readonly KeptSession[] {
    return [...this.#sessions]
      .filter(([, session]) => !this.#isExpired(session))
      .map(([cookieSha256, session]) => ({ cookieSha256, ...session, ...withoutIdToken(session) }));
  }

  /** Makes the sessions those of a list, the session unused for longest first. What is known of them here stays. */
  replace(kept: readonly KeptSession[]): void {
    const known = new Map(this.#sessions);
    this.#sessions.clear();
    for (const { cookieSha256, ...session } of kept) {
      const own = known.get(cookieSha256);
      const lastUsedAt = Math.max(session.lastUsedAt, own?.lastUsedAt ?? 0);
      this.#sessions.set(cookieSha256, { ...session, ...own, lastUsedAt });
    }
  }

  /** True for the cookie of a session that has not expired. */
  has(cookie: string): boolean {
    const stored = this.#sessions.get(digest(cookie));
    return stored !== undefined && !this.#isExpired(stored);
  }

  /** Opens a session for a principal whom the caller has authenticated. */
  open({ principal, organizationId, generation, provider }: SignInHolder, host: string): SessionSecrets {
    const secrets = { cookie: newSecret(), token: newSecret() };
    this.#makeRoom(principal);
    const now = this.#now();
    this.#sessions.set(digest(secrets.cookie), {
      principal,
      organizationId,
      generation: generation ?? this.#generationOf(principal),
      tokenSha256: digest(secrets.token),
      host,
      openedAt: now,
      endsAt: now + Math.min(SESSION_SECONDS_MAX, provider?.seconds ?? SESSION_SECONDS_MAX) * SECOND_MS,
      lastUsedAt: now,
      ...(provider !== undefined && { provider }),
    });
    this.#onChange();
    return secrets;
  }

  /**
   * Returns the holder, and keeps the session alive; undefined when it is unknown or expired, was opened at another
   * host, or the credential behind it is gone.
   * @param projectId the project to act in; by default the first one that the holder sees
   */
  find({ cookie, token }: SessionSecrets, host: string, projectId?: string): SessionHolder | undefined {
    const key = digest(cookie);
    const stored = this.#sessions.get(key);
    if (stored === undefined || stored.host !== host || !matchesDigest(token, stored.tokenSha256)) {
      return undefined;
    }
    const found = this.#isExpired(stored) ? undefined : this.#holderOf(stored, projectId);
    this.#sessions.delete(key);
    if (found === undefined) {
      this.#onChange();
      return undefined;
    }
    stored.lastUsedAt = this.#now();
    this.#sessions.set(key, stored);
    this.#noteUse(stored.lastUsedAt);
    return { ...found, sessionId: sessionId(key), generation: stored.generation };
  }

  /** Ends the session of a cookie, if there is one; returns what it kept of its provider. */
  end(cookie: string): ProviderSession | undefined {
    const key = digest(cookie);
    const ended = this.#sessions.get(key);
    if (this.#sessions.delete(key)) this.#onChange();
    return ended?.provider;
  }

  /** The living sessions of a principal, the one used last first. @param cookie of the caller's own */
  of(principal: Principal, organizationId: string, cookie: string | undefined): readonly OwnSession[] {
    const own = cookie === undefined ? '' : digest(cookie);
    return this.#entriesOf(principal, organizationId)
      .filter(([, session]) => !this.#isExpired(session))
      .map(([key, session]) => describeOwn(key, session, key === own))
      .reverse();
  }

  /** Ends one of the principal's sessions; false when it has none of this id. */
  endOne(principal: Principal, organizationId: string, id: string): boolean {
    const found = this.#entriesOf(principal, organizationId).find(([key]) => sessionId(key) === id);
    if (found === undefined) return false;
    this.#sessions.delete(found[0]);
    this.#onChange();
    return true;
  }

  /** Ends all sessions of the principal; returns how many there were. */
  endAll(principal: Principal, organizationId: string): number {
    const ended = this.#entriesOf(principal, organizationId);
    for (const [key] of ended) this.#sessions.delete(key);
    if (ended.length > 0) this.#onChange();
    return ended.length;
  }

  #entriesOf({ type, id }: Principal, organizationId: string): readonly (readonly [string, StoredSession])[] {
    return [...this.#sessions].filter(
      ([, each]) =>
        each.principal.type === type && each.principal.id === id && each.organizationId === organizationId,
    );
  }

  #noteUse(now: number): void {
    if (now < this.#notedAt + NOTED_USE_MS) return;
    this.#notedAt = now;
    this.#onChange();
  }

  #holderOf(stored: StoredSession, projectId: string | undefined): Holder | undefined {
    const { principal, organizationId } = stored;
    if (principal.type === 'api_key') return this.#keyHolder(stored);
    if (this.#generationOf(principal) !== stored.generation) return undefined;
    const rights = this.#principals.rights(organizationId, principal);
    if (rights === undefined) return undefined;
    const projects = this.#projectsOf(organizationId, rights);
    const user = this.#nameOf(principal);
    return {
      principal,
      organizationId,
      organization: mintOrganizationAccess({ organizationId, principal, rights }),
      ...projectHolder(projects, projectId, stored),
      session: { ...this.#describe(stored), user, permissions: rights.everywhere, projects },
    };
  }

  #keyHolder(stored: StoredSession): Holder | undefined {
    const { principal, organizationId } = stored;
    const project = this.#principals.keyHolder(principal.id);
    if (project === undefined) return undefined;
    const { projectId: id } = project.access;
    const name = this.#principals.project(id)?.name ?? '';
    const projects = [{ id, name, permissions: project.permissions }];
    const session = {
      ...this.#describe(stored),
      user: principal.id,
      permissions: new Set<never>(),
      projects,
    };
    return { principal, organizationId, project, session };
  }

  /** Those of which the holder may do or see anything. */
  #projectsOf(organizationId: string, rights: Rights): readonly ConsoleProject[] {
    const { everywhere, inProject } = rights;
    return this.#principals
      .projectsOf(organizationId)
      .filter(({ id }) => everywhere.has('admin::project::read') || inProject.has(id))
      .map(({ id, name }) => ({ id, name, permissions: permissionsIn(rights, id) }));
  }

  #describe({ principal, organizationId, endsAt }: StoredSession) {
    return { principal, organizationId, endsAt: new Date(endsAt).toISOString() };
  }

  #nameOf({ type, id }: Principal): string {
    if (type === 'user') return this.#principals.user(id)?.email ?? id;
    return this.#principals.serviceAccount(id)?.clientId ?? id;
  }

  /** Changes whenever the tokens of the principal become invalid. */
  #generationOf({ type, id }: Principal): number | null {
    if (type === 'user') return this.#principals.user(id)?.generation ?? null;
    return type === 'service_account' ? (this.#principals.serviceAccount(id)?.generation ?? null) : null;
  }

  #isExpired({ endsAt, lastUsedAt }: StoredSession): boolean {
    const now = this.#now();
    return now >= endsAt || now >= lastUsedAt + SESSION_IDLE_SECONDS * SECOND_MS;
  }

  #makeRoom({ type, id }: Principal): void {
    for (const [key, each] of this.#sessions) if (this.#isExpired(each)) this.#sessions.delete(key);
    const own = [...this.#sessions].filter(
      ([, { principal }]) => principal.type === type && principal.id === id,
    );
    const [ownOldest] = own;
    if (own.length >= SESSIONS_PER_PRINCIPAL_MAX && ownOldest !== undefined) {
      this.#sessions.delete(ownOldest[0]);
    }
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= SESSIONS_MAX && oldest !== undefined) this.#sessions.delete(oldest);
  }
}

/** The holder in the project: of the requested one, else of the first. */
function projectHolder(
  projects: readonly ConsoleProject[],
  requested: string | undefined,
  { principal, organizationId }: Pick<StoredSession, 'principal' | 'organizationId'>,
): { readonly project?: KeyHolder } {
  const project = requested === undefined ? projects[0] : projects.find(({ id }) => id === requested);
  if (project === undefined) return {};
  const { id: principalId, type } = principal;
  const access = mintProjectAccess({
    ...{ organizationId, projectId: project.id, principalId },
    ...(type !== 'api_key' && { principalType: type }),
  });
  return { project: { access, permissions: project.permissions } };
}

function permissionsIn({ everywhere, inProject }: Rights, id: string): PermissionSet {
  const own = inProject.get(id);
  return own === undefined ? everywhere : everywhere.union(own);
}

/** What a page may know of a session: nothing that opens it. */
function sessionId(key: string): string {
  return key.slice(0, SESSION_ID_CHARS);
}

function describeOwn(
  key: string,
  { openedAt, lastUsedAt, endsAt, host, provider }: StoredSession,
  isCurrent: boolean,
): OwnSession {
  return {
    id: sessionId(key),
    openedAt: openedAt === undefined ? null : new Date(openedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    endsAt: new Date(endsAt).toISOString(),
    host,
    isByProvider: provider !== undefined,
    isCurrent,
  };
}

/** Claims about people are not written to disk. */
function withoutIdToken({ provider }: StoredSession): Pick<KeptSession, 'provider'> {
  return provider === undefined ? {} : { provider: { ...provider, idToken: null } };
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}
