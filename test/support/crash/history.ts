// What may be found of one thing after a crash: the last acknowledged state of it, or one that was requested later.
import assert from 'node:assert/strict';

/** The number of a state that is the absence of the thing. */
export const ABSENT = 0;

interface Requested {
  /** Of the version; ABSENT for a deletion. */
  readonly version: number;
  readonly sentAt: bigint;
  acknowledgedAt: bigint | null;
}

/** Times are of the monotonic clock, in nanoseconds. */
export class History {
  readonly #name: string;
  readonly #requested: Requested[] = [];
  #versions = ABSENT;

  constructor(name: string) {
    this.#name = name;
  }

  /** The version after all that were requested. */
  nextVersion(): number {
    return ++this.#versions;
  }

  /** Runs a request that makes the thing this version. @throws what the request throws; the outcome is open then */
  async request<Result>(version: number, send: () => Promise<Result>): Promise<Result> {
    const requested: Requested = { version, sentAt: process.hrtime.bigint(), acknowledgedAt: null };
    this.#requested.push(requested);
    const result = await send();
    requested.acknowledgedAt = process.hrtime.bigint();
    return result;
  }

  /** Versions that may be found when the server ended at this time. */
  possible(at: bigint): readonly number[] {
    const sent = this.#requested.filter(({ sentAt }) => sentAt <= at);
    const last = sent.findLastIndex(({ acknowledgedAt }) => acknowledgedAt !== null && acknowledgedAt <= at);
    const later = sent.slice(Math.max(0, last)).map(({ version }) => version);
    return last < 0 ? [ABSENT, ...later] : later;
  }

  /** @throws unless this version is possible */
  assertPossible(found: number, at: bigint): void {
    const possible = this.possible(at);
    assert.ok(
      possible.includes(found),
      `${this.#name} has version ${found}, expected one of ${possible.join(', ')}`,
    );
  }

  get acknowledged(): number {
    return this.#requested.filter(({ acknowledgedAt }) => acknowledgedAt !== null).length;
  }
}
