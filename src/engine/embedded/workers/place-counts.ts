// How many places of the queues each index holds, so that none can take them all.
import { overloaded } from '../../../domain/overload.ts';

export class PlaceCounts {
  readonly #held = new Map<string, number>();

  /**
   * Takes a place for a request of the index, if it holds fewer than `placesMax`.
   * @returns what gives the place back @throws overloaded
   */
  enter(indexId: string, placesMax: number): () => void {
    const held = this.#held.get(indexId) ?? 0;
    if (held >= placesMax) throw overloaded();
    this.#held.set(indexId, held + 1);
    return () => {
      const left = (this.#held.get(indexId) ?? 1) - 1;
      if (left === 0) this.#held.delete(indexId);
      else this.#held.set(indexId, left);
    };
  }
}
