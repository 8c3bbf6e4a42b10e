// Sessions of the console as the catalog keeps them over restarts: digests and times, no secrets.
import type { SettingStore } from '../../catalog/port.ts';
import type { ProviderSession } from '../../domain/administration/console-session.ts';
import type { Principal } from '../../domain/administration/model.ts';

export interface KeptSession {
  readonly cookieSha256: string;
  readonly tokenSha256: string;
  readonly principal: Principal;
  readonly organizationId: string;
  /** Null for API keys, which have none. */
  readonly generation: number | null;
  /** The host name and port where the session was opened. */
  readonly host: string;
  /** Milliseconds since 1970, as `lastUsedAt`. */
  readonly endsAt: number;
  readonly lastUsedAt: number;
  /** Absent in sessions of 0.1.0. */
  readonly openedAt?: number;
  /** Of people whom an OpenID provider has signed in. */
  readonly provider?: ProviderSession;
}

/** The sessions used last are kept; the others end with the process. */
export const KEPT_SESSIONS_MAX = 1_000;
const SETTING = 'console-sessions';
/** Changes that nobody waits for are written together within this time. */
const DELAY_MS = 1_000;

export interface SessionKeeperOptions {
  readonly settings: SettingStore;
  /** What to keep, the session used last at the end. */
  readonly list: () => readonly KeptSession[];
  readonly onFailure: (error: unknown) => void;
  readonly delayMs?: number;
}

/** Writes the sessions a moment after they change, at once where somebody waits for it, and when it closes. */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
  }

  /** Writes them a moment later. */
  changed(): void {
    this.#timer ??= setTimeout(() => this.#write(), this.#options.delayMs ?? DELAY_MS);
    this.#timer.unref();
  }

  /** Resolves when the changes so far are on disk, or could not be written. */
  saved(): Promise<void> {
    if (this.#timer !== null) this.#write();
    return this.#writing;
  }

  close(): Promise<void> {
    this.#write();
    return this.#writing;
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const { settings, list, onFailure } = this.#options;
    this.#writing = this.#writing
      .then(() => settings.set(SETTING, JSON.stringify(list().slice(-KEPT_SESSIONS_MAX))))
      .catch(onFailure);
  }
}

/** The sessions of an earlier run; none where they cannot be read, so that a damaged value only signs people out. */
export async function readKeptSessions(settings: Pick<SettingStore, 'get'>): Promise<readonly KeptSession[]> {
  try {
    const kept: unknown = JSON.parse((await settings.get(SETTING)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKeptSession) : [];
  } catch {
    return [];
  }
}

export function isKeptSession(value: unknown): value is KeptSession {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return (
    ['cookieSha256', 'tokenSha256', 'organizationId', 'host'].every(
      (name) => typeof fields[name] === 'string',
    ) &&
    ['endsAt', 'lastUsedAt'].every((name) => Number.isFinite(fields[name])) &&
    (fields.generation === null || Number.isInteger(fields.generation)) &&
    typeof fields.principal === 'object' &&
    fields.principal !== null
  );
}
