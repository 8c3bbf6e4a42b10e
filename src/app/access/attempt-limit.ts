// Counts attempts to sign in by address, whether or not a person has it, so that passwords cannot be tried out.
import { Fault, fault } from '../../domain/faults.ts';

export interface AttemptLimitOptions {
  /** Attempts per address and window. */
  readonly attemptsMax: number;
  readonly windowMs: number;
  /** Addresses remembered; beyond these, the oldest window is forgotten. */
  readonly addressesMax: number;
  readonly now?: () => number;
}

interface Window {
  readonly endsAt: number;
  attempts: number;
}

export class AttemptLimit {
  readonly #options: AttemptLimitOptions;
  readonly #now: () => number;
  /** Oldest window first. */
  readonly #windows = new Map<string, Window>();

  constructor(options: AttemptLimitOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Counts an attempt before it is made, so that parallel ones count too. @throws too-many-attempts */
  begin(address: string): void {
    const { attemptsMax, windowMs, addressesMax } = this.#options;
    const now = this.#now();
    const known = this.#windows.get(address);
    // One that ends later than a window from now began before the clock was set back.
    if (known === undefined || known.endsAt <= now || known.endsAt - now > windowMs) {
      this.#windows.delete(address);
      const [oldest] = this.#windows.keys();
      if (this.#windows.size >= addressesMax && oldest !== undefined) this.#windows.delete(oldest);
      this.#windows.set(address, { endsAt: now + windowMs, attempts: 1 });
      return;
    }
    if (known.attempts >= attemptsMax) {
      const seconds = Math.ceil((known.endsAt - now) / 1_000);
      throw new Fault('too-many-attempts', fault('too-many-attempts', { seconds }).message, {
        retryAfterSeconds: seconds,
      });
    }
    known.attempts++;
  }

  /** Forgets the attempts of an address whose owner has signed in. */
  forget(address: string): void {
    this.#windows.delete(address);
  }
}
