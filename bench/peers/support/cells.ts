// Figures measured so far, kept in a file cell by cell, so that a run that ended early goes on where it was.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

interface Stored {
  /** What the figures are of; those of other facts do not go together with these. */
  readonly facts: unknown;
  readonly cells: Readonly<Record<string, unknown>>;
}

export class Cells {
  readonly #path: string;
  readonly #facts: unknown;
  readonly #cells: Map<string, unknown>;

  private constructor(path: string, { facts, cells }: Stored) {
    this.#path = path;
    this.#facts = facts;
    this.#cells = new Map(Object.entries(cells));
  }

  /** Cells of a file. @throws when it is resumed and its figures are of other facts */
  static open(path: string, options: { readonly facts: unknown; readonly resume: boolean }): Cells {
    const { facts, resume } = options;
    if (!resume || !existsSync(path)) return new Cells(path, { facts, cells: {} });
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Stored;
    if (JSON.stringify(stored.facts) !== JSON.stringify(facts))
      throw new Error(`${path} is of another plan, machine or release: run without --resume`);
    return new Cells(path, stored);
  }

  get size(): number {
    return this.#cells.size;
  }

  has(key: string): boolean {
    return this.#cells.has(key);
  }

  get<Value>(key: string): Value | undefined {
    return this.#cells.get(key) as Value | undefined;
  }

  put<Value>(key: string, value: Value): Value {
    this.#cells.set(key, value);
    const stored: Stored = { facts: this.#facts, cells: Object.fromEntries(this.#cells) };
    writeFileSync(`${this.#path}.part`, JSON.stringify(stored));
    renameSync(`${this.#path}.part`, this.#path);
    return value;
  }

  /** The cell, measured unless it is there. */
  async take<Value>(key: string, measure: () => Promise<Value>): Promise<Value> {
    return this.#cells.has(key) ? (this.get<Value>(key) as Value) : this.put(key, await measure());
  }
}
