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
  #openUntilMs = 0;
  /** The request that tests the provider. */
  #tester: object | undefined;
  #asking = 0;
  /** Since when it is asked and does not answer. */
  #silentSinceMs = 0;

  constructor({ now = () => performance.now() }: BreakerOptions = {}) {
    this.#now = now;
  }

  /**
   * @param request what the calls of one request share; they are all admitted while it tests the provider
   * @throws ProviderError without a call, while the circuit is open
   */
  async run<Result>(ask: () => Promise<Result>, request: object = {}): Promise<Result> {
    this.#admit(request);
    if (this.#asking === 0) this.#silentSinceMs = this.#now();
    this.#asking++;
    try {
      const result = await ask();
      this.#answered();
      return result;
    } catch (error) {
      this.#count(error, request);
      throw error;
    } finally {
      this.#asking--;
    }
  }

  /**
   * After the pause, one request tests the provider; others are refused until a call of it returns, or for another
   * pause. A request fails with its first call that is refused, so that a test by one of its calls would never end.
   */
  #admit(request: object): void {
    const restMs = this.#openUntilMs - this.#now();
    if (restMs <= 0) {
      if (this.#failures >= FAILURES_MAX) this.#open(request);
    } else if (request !== this.#tester) {
      throw new ProviderError(
        'broken',
        `it failed ${FAILURES_MAX} times in a row and is not called for a while`,
        restMs,
      );
    }
  }

  #open(tester?: object): void {
    this.#tester = tester;
    this.#openUntilMs = this.#now() + PAUSE_MS;
  }

  #endPause(): void {
    this.#tester = undefined;
    this.#openUntilMs = 0;
  }

  #answered(): void {
    this.#failures = 0;
    this.#endPause();
    this.#silentSinceMs = this.#now();
  }

  #count(error: unknown, request: object): void {
    if (error instanceof ProviderError && !this.#isCutShort(error)) {
      // Any other error response shows that the provider is up.
      if (error.kind === 'down' || error.kind === 'broken') this.#failed();
      else this.#answered();
    } else if (request === this.#tester) {
      // A call that was cut short, by its caller or its deadline, shows nothing. Only the request that tested the
      // provider leaves the test to the next one.
      this.#endPause();
    }
  }

  /** Whether the deadline ended a call of a provider that has answered others not long ago. */
  #isCutShort(error: ProviderError): boolean {
    const silentMs = this.#now() - this.#silentSinceMs;
    return error instanceof DeadlinePassed && silentMs < SILENT_SHARE * error.deadlineMs;
  }

  #failed(): void {
    this.#failures++;
    if (this.#failures >= FAILURES_MAX) this.#open();
  }
}
