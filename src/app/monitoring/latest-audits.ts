// What audits showed of the latest searches of an index, while those searches are still like that.
import type { AuditedRecall } from '../../domain/recall-promise.ts';

/** So many searches without a graph that was audited, one after the other, show that an index is searched in another way. */
const OTHER_SEARCHES_MAX = 100;
/** Nothing is known of an index without such searches for so long. */
const AGE_MS_MAX = 3_600_000;

export interface SearchAudits {
  /** Null for what is no search. */
  readonly expectedRecall: number | null;
  /** Null for searches of which there are no audits: exact ones need none. */
  readonly auditedRecall: AuditedRecall | null;
  /** Null for the usual recall. */
  readonly promisedRecall: number | null;
}

export class LatestAudits {
  readonly #now: () => number;
  #promised: number | null = null;
  #audited: AuditedRecall | null = null;
  #toldAt = 0;
  #othersSince = 0;

  /** @param now milliseconds that never decrease */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** What the newest search promised; null for the usual recall, and before the first. */
  get promised(): number | null {
    return this.#promised;
  }

  /** Of searches with this promise; null where none told of audits lately. */
  get audited(): AuditedRecall | null {
    return this.#now() - this.#toldAt > AGE_MS_MAX ? null : this.#audited;
  }

  note({ expectedRecall, auditedRecall, promisedRecall }: SearchAudits): void {
    if (expectedRecall === null) return;
    if (promisedRecall !== this.#promised) this.#audited = null;
    this.#promised = promisedRecall;
    if (auditedRecall !== null) {
      this.#audited = auditedRecall;
      this.#toldAt = this.#now();
      this.#othersSince = 0;
    } else if (++this.#othersSince >= OTHER_SEARCHES_MAX) this.#audited = null;
  }
}
