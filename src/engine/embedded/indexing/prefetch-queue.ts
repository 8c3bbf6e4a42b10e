// Remembers large namespaces that are written to and not in memory, so that they are loaded, and their graphs built, before
// somebody searches them.

export interface WrittenNamespace {
  readonly namespaceId: number;
  /** Metadata fields to keep in columns; null for all. */
  readonly filterable: readonly string[] | null;
  readonly records: number;
  /** All its records take, dense values apart: what else comes into memory is about as much. */
  readonly otherBytes: number;
}

interface Waiting {
  readonly space: WrittenNamespace;
  /** Rounds since the first write. */
  readonly rounds: number;
  readonly wasWritten: boolean;
}

/** Whose writers never pause is not waited for any longer. */
const ROUNDS_MAX = 15;

export class PrefetchQueue {
  readonly #waiting = new Map<number, Waiting>();

  note(space: WrittenNamespace): void {
    const rounds = this.#waiting.get(space.namespaceId)?.rounds ?? 0;
    this.#waiting.set(space.namespaceId, { space, rounds, wasWritten: true });
  }

  forget(namespaceId: number): void {
    this.#waiting.delete(namespaceId);
  }

  forgetAll(): void {
    this.#waiting.clear();
  }

  /**
   * Ends a round. A load beside its writers makes them slower, and is best put off until they pause.
   * @returns one of those not written in this round, or waiting for too long; it is forgotten. Null: none
   */
  takeDue(): WrittenNamespace | null {
    let due: WrittenNamespace | null = null;
    for (const [namespaceId, { space, rounds, wasWritten }] of this.#waiting) {
      if (due === null && (!wasWritten || rounds >= ROUNDS_MAX)) due = space;
      else this.#waiting.set(namespaceId, { space, rounds: rounds + 1, wasWritten: false });
    }
    if (due !== null) this.forget(due.namespaceId);
    return due;
  }
}
