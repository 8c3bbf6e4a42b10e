// Stops calling a provider that keeps failing, so that callers fail fast and the provider can recover.
import { ProviderError } from '../provider-errors.ts';

const FAILURES_MAX = 5;
const PAUSE_MS = 10_000;

export interface BreakerOptions {
  readonly now?: () => number;
}

/** One for each location, since models behind one address fail together. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #closedUntilMs = 0;

  constructor({ now = () => performance.now() }: BreakerOptions = {}) {
    this.#now = now;
  }

  /** @throws ProviderError without a call, while the circuit is open */
  async run<Result>(ask: () => Promise<Result>): Promise<Result> {
    const restMs = this.#closedUntilMs - this.#now();
    if (restMs > 0) {
      throw new ProviderError(
        'broken',
        `it failed ${FAILURES_MAX} times in a row and is not called for a while`,
        restMs,
      );
    }
    // After the pause, one call tests the provider; others are refused until it returns.
    if (this.#failures >= FAILURES_MAX) this.#closedUntilMs = this.#now() + PAUSE_MS;
    try {
      const result = await ask();
      this.#failures = 0;
      this.#closedUntilMs = 0;
      return result;
    } catch (error) {
      this.#count(error);
      throw error;
    }
  }

  #count(error: unknown): void {
    const isFailure = error instanceof ProviderError && (error.kind === 'down' || error.kind === 'broken');
    if (isFailure) {
      this.#failures++;
      if (this.#failures >= FAILURES_MAX) this.#closedUntilMs = this.#now() + PAUSE_MS;
      return;
    }
    // An error response shows that the provider is up. A caller that left shows nothing.
    if (error instanceof ProviderError) this.#failures = 0;
    this.#closedUntilMs = 0;
  }
}
