// Counts the slots of a queue that each index occupies, so that no index can take them all.
import { overloaded } from '../../../domain/overload.ts';

export class SlotCounts {
  readonly #held = new Map<string, number>();

  /**
   * Takes a slot for a request of the index, unless it occupies `slotsMax` of them.
   * @returns a function that frees the slot @throws overloaded
   */
  enter(indexId: string, slotsMax: number): () => void {
    const held = this.#held.get(indexId) ?? 0;
    if (held >= slotsMax) throw overloaded();
    this.#held.set(indexId, held + 1);
    return () => {
      const left = (this.#held.get(indexId) ?? 1) - 1;
      if (left === 0) this.#held.delete(indexId);
      else this.#held.set(indexId, left);
    };
  }
}
