// Stops calling a provider that keeps failing, so that callers fail fast and the provider can recover.
import { DeadlinePassed, ProviderError } from '../provider-errors.ts';

const FAILURES_MAX = 5;
const PAUSE_MS = 10_000;
/** The share of a deadline after which a provider counts as silent. */
const SILENT_SHARE = 0.75;

export interface BreakerOptions {
  readonly now?: () => number;
}

/** One for each location, since models behind one address fail together. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #closedUntilMs = 0;
  #asking = 0;
  /** Since when it is asked and does not answer. */
  #silentSinceMs = 0;

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
    const probeUntilMs = this.#beginProbe();
    if (this.#asking === 0) this.#silentSinceMs = this.#now();
    this.#asking++;
    try {
      const result = await ask();
      this.#answered();
      return result;
    } catch (error) {
      this.#count(error, probeUntilMs);
      throw error;
    } finally {
      this.#asking--;
    }
  }

  /** After the pause, one call tests the provider; others are refused until it returns, or until the returned time. */
  #beginProbe(): number | undefined {
    if (this.#failures < FAILURES_MAX) return undefined;
    this.#closedUntilMs = this.#now() + PAUSE_MS;
    return this.#closedUntilMs;
  }

  #answered(): void {
    this.#failures = 0;
    this.#closedUntilMs = 0;
    this.#silentSinceMs = this.#now();
  }

  #count(error: unknown, probeUntilMs: number | undefined): void {
    if (error instanceof ProviderError && !this.#isCutShort(error)) {
      // Any other error response shows that the provider is up.
      if (error.kind === 'down' || error.kind === 'broken') this.#failed();
      else this.#answered();
    } else if (this.#closedUntilMs === probeUntilMs) {
      // A call that was cut short, by its caller or its deadline, shows nothing. Only the one that tested the provider
      // leaves the test to the next one.
      this.#closedUntilMs = 0;
    }
  }

  /** Whether the deadline ended a call of a provider that has answered others not long ago. */
  #isCutShort(error: ProviderError): boolean {
    const silentMs = this.#now() - this.#silentSinceMs;
    return error instanceof DeadlinePassed && silentMs < SILENT_SHARE * error.deadlineMs;
  }

  #failed(): void {
    this.#failures++;
    if (this.#failures >= FAILURES_MAX) this.#closedUntilMs = this.#now() + PAUSE_MS;
  }
}
