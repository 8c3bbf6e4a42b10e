// A memory bound over all requests: bodies being received, waiting or processed, and responses being sent.
import { overloaded } from '../../domain/overload.ts';

/** One request's share. Must be ended, however the request ends. */
export interface ByteLease {
  /** Adds to the share. @throws overloaded when the budget has too little left */
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
