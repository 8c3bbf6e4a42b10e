// A bound on the memory of all requests together: bodies being received, waiting or worked on, answers being sent.
import { overloaded } from '../../domain/overload.ts';

/** One request's share. Must be ended, whatever becomes of the request. */
export interface ByteLease {
  /** Adds to the share. @throws overloaded when the budget does not have that much left */
  take(bytes: number): void;
  end(): void;
}

export class ByteBudget {
  readonly #bytesMax: number;
  #used = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get used(): number {
    return this.#used;
  }

  lease(): ByteLease {
    let held = 0;
    return {
      take: (bytes) => {
        if (this.#used + bytes > this.#bytesMax) throw overloaded();
        this.#used += bytes;
        held += bytes;
      },
      end: () => {
        this.#used -= held;
        held = 0;
      },
    };
  }
}
