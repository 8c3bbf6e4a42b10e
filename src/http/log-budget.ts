// Bounds the lines that the log gets a second: the first ones of each kind are written, the others counted.

const SECOND_MS = 1_000;

export class LogBudget {
  readonly #linesMax: number;
  readonly #onSkipped: (skipped: ReadonlyMap<string, number>) => void;
  #taken = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** @param onSkipped gets what was counted in a second, by kind, after its end */
  constructor(linesMax: number, onSkipped: (skipped: ReadonlyMap<string, number>) => void) {
    this.#linesMax = linesMax;
    this.#onSkipped = onSkipped;
  }

  /** False when a line of the kind is to be left out. Kinds are few. */
  take(kind: string): boolean {
    const taken = (this.#taken.get(kind) ?? 0) + 1;
    this.#taken.set(kind, taken);
    // Unreferenced: a process that ends does not wait for it.
    this.#timer ??= setTimeout(() => this.#startSecond(), SECOND_MS).unref();
    return taken <= this.#linesMax;
  }

  #startSecond(): void {
    const skipped = [...this.#taken]
      .filter(([, taken]) => taken > this.#linesMax)
      .map(([kind, taken]): [string, number] => [kind, taken - this.#linesMax]);
    this.#taken = new Map();
    this.#timer = null;
    if (skipped.length > 0) this.#onSkipped(new Map(skipped));
  }
}
