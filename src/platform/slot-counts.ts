// Counts the slots of a queue that each key occupies, so that none can take them all.
import { overloaded } from '../domain/overload.ts';

export class SlotCounts {
  readonly #held = new Map<string, number>();

  /**
   * Takes a slot for work of the key, unless it occupies `slotsMax` of them.
   * @returns a function that frees the slot @throws overloaded
   */
  enter(key: string, slotsMax: number): () => void {
    const held = this.#held.get(key) ?? 0;
    if (held >= slotsMax) throw overloaded();
    this.#held.set(key, held + 1);
    return () => {
      const left = (this.#held.get(key) ?? 1) - 1;
      if (left === 0) this.#held.delete(key);
      else this.#held.set(key, left);
    };
  }
}
