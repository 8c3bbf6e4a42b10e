// The catalog's port for sessions of the console, which several nodes share.

export interface SessionRow {
  readonly cookieSha256: string;
  /** What else the session has, as JSON; it never changes. */
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number;
}

export interface SessionChanges {
  readonly opened: readonly SessionRow[];
  /** An earlier use than the one that is stored has no effect. */
  readonly used: readonly Pick<SessionRow, 'cookieSha256' | 'lastUsedAt'>[];
  readonly ended: readonly string[];
}

export interface SessionStore {
  /** The one unused for longest first. */
  list(): Promise<readonly SessionRow[]>;
  /** All or nothing. A session that has ended stays ended. */
  save(changes: SessionChanges): Promise<void>;
}
