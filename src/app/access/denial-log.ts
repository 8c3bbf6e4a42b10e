// Denied accesses on their way into the audit log: collected, merged and written in batches.
import type { Denial } from '../../catalog/port.ts';

const FLUSH_MS = 1_000;
/** Different denials in one batch; more are merged into one per organization. */
const BATCH_MAX = 500;
/** Of which anonymous callers may have as many, so that they leave space for known ones. */
const ANONYMOUS_MAX = BATCH_MAX / 2;
/** Denied entries to keep of anonymous callers, and of all others; the oldest are deleted first. Entries of changes are kept forever. */
export const DENIED_ENTRIES_MAX = 100_000;

export interface DenialLogOptions {
  readonly record: (denials: readonly Denial[], deniedMax: number) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  readonly flushMs?: number;
}

/** A million denials of one caller cost only a few rows a second. */
export class DenialLog {
  readonly #options: DenialLogOptions;
  #batch = new Map<string, Denial>();
  #anonymous = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: DenialLogOptions) {
    this.#options = options;
  }

  /** Ignores `count`. */
  add(denial: Omit<Denial, 'count'>): void {
    const key = keyOf(denial);
    const isAnonymous = denial.actor.type === 'anonymous';
    const isNew = !this.#batch.has(key);
    const isFull = this.#batch.size >= BATCH_MAX || (isAnonymous && this.#anonymous >= ANONYMOUS_MAX);
    const isRoom = !isNew || !isFull;
    if (isRoom && isNew && isAnonymous) this.#anonymous++;
    if (isRoom) this.#fold(key, denial);
    else this.#fold(denial.organizationId, { ...denial, ...MANY });
    this.#timer ??= setTimeout(() => this.#flush(), this.#options.flushMs ?? FLUSH_MS).unref();
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #fold(key: string, denial: Omit<Denial, 'count'>): void {
    const earlier = this.#batch.get(key);
    this.#batch.set(key, { ...(earlier ?? denial), count: (earlier?.count ?? 0) + 1 });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const denials = [...this.#batch.values()];
    if (denials.length === 0) return;
    this.#batch = new Map();
    this.#anonymous = 0;
    const { record, onFailure } = this.#options;
    this.#writing = this.#writing.then(() => record(denials, DENIED_ENTRIES_MAX)).catch(onFailure);
  }
}

const MANY = {
  actor: { type: 'anonymous', id: '', requestId: null },
  action: 'many',
  resourceType: 'organization',
  resourceId: '',
  details: { reason: 'too many different denials in a second to list each' },
} as const;

function keyOf({
  organizationId,
  actor,
  action,
  resourceType,
  resourceId,
  details,
}: Omit<Denial, 'count'>): string {
  return JSON.stringify([organizationId, actor.type, actor.id, action, resourceType, resourceId, details]);
}
