// The turns of changes: those of an index wait for each other here rather than in the database, where each would hold a
// connection.
import { clientGone } from '../../domain/overload.ts';
import { WAITING_MS_MAX, waitedTooLong } from '../../domain/waiting-time.ts';
import type { BoundedSlots } from '../../platform/bounded-slots.ts';
import { KeyedQueue } from '../../platform/keyed-queue.ts';
import { SlotCounts } from '../../platform/slot-counts.ts';

/** Changes of one index that wait or run in this node. */
const OF_INDEX_MAX = 1_024;

/** Whose turn it is. */
export interface ChangeTurn {
  readonly indexId: string;
  /**
   * Whether the client still waits for the change. Where it does not, or has waited too long, the change is dropped. Work
   * of the background has no client, and waits as long as it must.
   */
  readonly isWanted?: (() => boolean) | undefined;
}

export class ChangeTurns {
  readonly #slots: BoundedSlots;
  readonly #queue = new KeyedQueue();
  readonly #counts = new SlotCounts();

  /** @param slots of changes that run at a time; at most one of each index waits for them */
  constructor(slots: BoundedSlots) {
    this.#slots = slots;
  }

  /**
   * Runs a change in a slot, after the earlier ones of its index.
   * @throws overloaded when too many of the index wait, or when a client's has waited too long; clientGone; what `change` throws
   */
  async run<Value>({ indexId, isWanted }: ChangeTurn, change: () => Promise<Value>): Promise<Value> {
    const leave = this.#counts.enter(indexId, OF_INDEX_MAX);
    const waiting = new WaitingChange(change, isWanted);
    // What has left has nothing to do in its turn, and waits for no slot.
    void this.#queue.run(indexId, async () => {
      if (waiting.stillWaits()) await this.#slots.run(() => waiting.start()).catch(waiting.refuse);
    });
    try {
      return await waiting.outcome;
    } finally {
      leave();
    }
  }

  /** Resolves when all changes of an index before have ended. */
  earlier(indexId: string): Promise<void> {
    return this.#queue.run(indexId, () => Promise.resolve());
  }
}

/** A change until it begins or leaves. */
class WaitingChange<Value> {
  readonly #outcome = Promise.withResolvers<Value>();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #isWanted: (() => boolean) | undefined;
  /** Null once it has begun or left: its records need no memory then. */
  #change: (() => Promise<Value>) | null;

  constructor(change: () => Promise<Value>, isWanted: (() => boolean) | undefined) {
    this.#change = change;
    this.#isWanted = isWanted;
    if (isWanted === undefined) return;
    this.#timer = setTimeout(() => this.refuse(waitedTooLong(WAITING_MS_MAX)), WAITING_MS_MAX);
  }

  get outcome(): Promise<Value> {
    return this.#outcome.promise;
  }

  /** Whether it has neither begun nor left. It leaves when nobody waits for it. */
  stillWaits(): boolean {
    if (this.#change !== null && this.#isWanted?.() === false) this.refuse(clientGone());
    return this.#change !== null;
  }

  readonly refuse = (error: unknown): void => {
    this.#end();
    this.#outcome.reject(error);
  };

  /** Resolves when the change has ended, however. */
  async start(): Promise<void> {
    const change = this.stillWaits() ? this.#end() : null;
    await change?.().then(this.#outcome.resolve, this.#outcome.reject);
  }

  #end(): (() => Promise<Value>) | null {
    clearTimeout(this.#timer);
    const change = this.#change;
    this.#change = null;
    return change;
  }
}
