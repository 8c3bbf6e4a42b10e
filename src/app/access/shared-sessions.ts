// Sessions of the console that several nodes share: each keeps all of them in memory, and the catalog has them, too.
import type { SessionRow, SessionStore } from '../../catalog/port.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import { isKeptSession, type KeptSession } from './kept-sessions.ts';

export interface SharedSessionsOptions {
  readonly store: SessionStore;
  readonly sessions: () => Pick<ConsoleSessions, 'list' | 'replace'>;
  readonly onFailure: (error: unknown) => void;
}

export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  /** As the catalog had them when this node last read or wrote it: what differs from them is this node's doing. */
  #shared: ReadonlyMap<string, KeptSession> = new Map();
  #working: Promise<void> = Promise.resolve();

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
  }

  /** Writes what this node has changed. */
  changed(): void {
    this.#working = this.#working.then(() => this.#write()).catch(this.#options.onFailure);
  }

  /** Resolves when the changes so far are written, or have failed. */
  saved(): Promise<void> {
    return this.#working;
  }

  close(): Promise<void> {
    this.changed();
    return this.saved();
  }

  /** Takes over what other nodes have changed. @throws database-unavailable */
  refresh(): Promise<void> {
    const read = this.#working.then(() => this.#read());
    this.#working = read.catch(() => undefined);
    return read;
  }

  async #write(): Promise<void> {
    const now = this.#present();
    const opened = [...now.values()].filter(({ cookieSha256 }) => !this.#shared.has(cookieSha256));
    const used = [...now.values()].filter(
      ({ cookieSha256, lastUsedAt }) =>
        lastUsedAt > (this.#shared.get(cookieSha256)?.lastUsedAt ?? lastUsedAt),
    );
    const ended = [...this.#shared.keys()].filter((key) => !now.has(key));
    if (opened.length + used.length + ended.length === 0) return;
    await this.#options.store.save({ opened: opened.map(rowOf), used, ended });
    this.#shared = now;
  }

  async #read(): Promise<void> {
    const rows = await this.#options.store.list();
    const found = rows.flatMap((row) => sessionOf(row) ?? []);
    // What this node has done since, and is about to write, stays.
    const now = this.#present();
    const opened = [...now.values()].filter(({ cookieSha256 }) => !this.#shared.has(cookieSha256));
    const isEnded = ({ cookieSha256 }: KeptSession) =>
      this.#shared.has(cookieSha256) && !now.has(cookieSha256);
    this.#options.sessions().replace([...found.filter((each) => !isEnded(each)), ...opened]);
    this.#shared = new Map(found.map((each) => [each.cookieSha256, each]));
  }

  #present(): ReadonlyMap<string, KeptSession> {
    const sessions = this.#options.sessions().list();
    return new Map(sessions.map((each) => [each.cookieSha256, each]));
  }
}

function rowOf({ cookieSha256, lastUsedAt, ...content }: KeptSession): SessionRow {
  return { cookieSha256, lastUsedAt, content: JSON.stringify(content) };
}

/** Undefined for what a later release may have written. */
function sessionOf({ cookieSha256, content, lastUsedAt }: SessionRow): KeptSession | undefined {
  const session: unknown = { ...JSON.parse(content), cookieSha256, lastUsedAt };
  return isKeptSession(session) ? session : undefined;
}
