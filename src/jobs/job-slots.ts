// Counts running jobs: each kind has its own slots, so that long work of one kind never delays another.

export class JobSlots {
  readonly #parallelMax: number;
  readonly #busy: Map<string, number>;

  constructor(kinds: readonly string[], parallelMax: number) {
    this.#parallelMax = parallelMax;
    this.#busy = new Map(kinds.map((kind) => [kind, 0]));
  }

  /** Returns the kinds of which another job may start. */
  free(): readonly string[] {
    return [...this.#busy].flatMap(([kind, count]) => (count < this.#parallelMax ? [kind] : []));
  }

  enter(kind: string): void {
    this.#busy.set(kind, (this.#busy.get(kind) ?? 0) + 1);
  }

  leave(kind: string): void {
    this.#busy.set(kind, (this.#busy.get(kind) ?? 1) - 1);
  }
}
