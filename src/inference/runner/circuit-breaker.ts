// Stops calling a provider that keeps failing, so that callers fail fast and the provider can recover.
import { DeadlinePassed, ProviderError, type ProviderErrorKind } from '../provider-errors.ts';

const FAILURES_MAX = 5;
const PAUSE_MS = 10_000;
/** The share of a deadline after which a provider counts as silent. */
const SILENT_SHARE = 0.75;

export interface BreakerOptions {
  readonly now?: () => number;
  /** The errors that are failures; any other one shows that the provider is up. */
  readonly counts?: readonly ProviderErrorKind[];
  /** That of the place where the provider runs, which may hold its calls back, too. */
  readonly location?: CircuitBreaker | undefined;
}

/** Thrown without a call. */
class CircuitOpen extends ProviderError {
  constructor(restMs: number) {
    super('broken', `it failed ${FAILURES_MAX} times in a row and is not called for a while`, restMs);
  }
}

/** One for each model, and one for each location, since models at one address are down together. */
export class CircuitBreaker {
  readonly #now: () => number;
  readonly #counts: readonly ProviderErrorKind[];
  readonly #location: CircuitBreaker | undefined;
  #failures = 0;
  #openUntilMs = 0;
  /** The request that tests the provider. */
  #tester: object | undefined;
  #asking = 0;
  /** Since when it is asked and does not answer. */
  #silentSinceMs = 0;

  constructor({ now = () => performance.now(), counts = ['down', 'broken'], location }: BreakerOptions = {}) {
    this.#now = now;
    this.#counts = counts;
    this.#location = location;
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
      const result = await (this.#location?.run(ask, request) ?? ask());
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
      throw new CircuitOpen(restMs);
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
      if (this.#counts.includes(error.kind)) this.#failed();
      else this.#answered();
    } else if (request === this.#tester) {
      // A call that was cut short, by its caller or its deadline, or held back by its location, shows nothing. Only the
      // request that tested the provider leaves the test to the next one.
      this.#endPause();
    }
  }

  /** Whether the location held the call back, or the deadline ended one of a provider that has answered not long ago. */
  #isCutShort(error: ProviderError): boolean {
    if (error instanceof CircuitOpen) return true;
    const silentMs = this.#now() - this.#silentSinceMs;
    return error instanceof DeadlinePassed && silentMs < SILENT_SHARE * error.deadlineMs;
  }

  #failed(): void {
    this.#failures++;
    if (this.#failures >= FAILURES_MAX) this.#open();
  }
}
