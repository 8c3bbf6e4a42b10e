// Large namespaces that are written, or were in memory before a restart, but are not now: they are loaded, and their
// graphs built, before the first query.

export interface WrittenNamespace {
  readonly namespaceId: number;
  /** Metadata fields to keep in columns; null for all. */
  readonly filterable: readonly string[] | null;
  readonly records: number;
  /** Bytes of its records without dense values: about what they need in memory beside vectors and graph. */
  readonly otherBytes: number;
}

interface Waiting {
  readonly namespace: WrittenNamespace;
  /** Rounds since the first write. */
  readonly rounds: number;
  readonly wasWritten: boolean;
}

/** A namespace whose writers never pause is loaded after so many rounds. */
const ROUNDS_MAX = 15;

export class PrefetchQueue {
  readonly #waiting = new Map<number, Waiting>();

  note(namespace: WrittenNamespace): void {
    const rounds = this.#waiting.get(namespace.namespaceId)?.rounds ?? 0;
    this.#waiting.set(namespace.namespaceId, { namespace, rounds, wasWritten: true });
  }

  /** Notes a namespace that nobody writes now. */
  noteSaved(namespace: WrittenNamespace): void {
    if (!this.#waiting.has(namespace.namespaceId))
      this.#waiting.set(namespace.namespaceId, { namespace, rounds: 0, wasWritten: false });
  }

  has(namespaceId: number): boolean {
    return this.#waiting.has(namespaceId);
  }

  forget(namespaceId: number): void {
    this.#waiting.delete(namespaceId);
  }

  forgetAll(): void {
    this.#waiting.clear();
  }

  /**
   * Ends a round. A load slows down writers, so that it waits until they pause.
   * @returns a namespace that was not written in this round, or that has waited too long; it leaves the queue. Null: none
   */
  takeDue(): WrittenNamespace | null {
    let due: WrittenNamespace | null = null;
    for (const [namespaceId, { namespace, rounds, wasWritten }] of this.#waiting) {
      if (due === null && (!wasWritten || rounds >= ROUNDS_MAX)) due = namespace;
      else this.#waiting.set(namespaceId, { namespace, rounds: rounds + 1, wasWritten: false });
    }
    if (due !== null) this.forget(due.namespaceId);
    return due;
  }
}
