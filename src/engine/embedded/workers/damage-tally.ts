// Counts what engine threads report as damaged, each thing once.
import { type IndexDamage, NO_DAMAGE } from '../../port/engine-metrics.ts';
import type { DamageReport } from './protocol.ts';

/** Damaged records of an index that are told apart; more are not counted. */
const RECORDS_MAX = 10_000;

export class DamageTally {
  readonly #closed = new Set<string>();
  readonly #missing = new Set<string>();
  readonly #records = new Map<string, Set<string>>();

  /** @returns false when the same was reported before */
  note({ indexId, kind, damage }: DamageReport): boolean {
    if (kind !== 'record') {
      const reported = kind === 'index' ? this.#closed : this.#missing;
      if (reported.has(indexId)) return false;
      reported.add(indexId);
      return true;
    }
    const known = this.#records.get(indexId) ?? new Set();
    this.#records.set(indexId, known);
    if (known.has(damage) || known.size === RECORDS_MAX) return false;
    known.add(damage);
    return true;
  }

  of(indexId: string): IndexDamage {
    const records = this.#records.get(indexId)?.size ?? 0;
    const isClosed = this.#closed.has(indexId) || this.#missing.has(indexId);
    return records === 0 && !isClosed ? NO_DAMAGE : { isClosed, records };
  }

  /** Call when an index that was missing has files. */
  found(indexId: string): void {
    this.#missing.delete(indexId);
  }

  /** Call when their writer has died, which alone tells when an index that was missing has files. */
  forgetMissing(isOne: (indexId: string) => boolean): void {
    for (const indexId of this.#missing) if (isOne(indexId)) this.#missing.delete(indexId);
  }

  /** Call when the index is deleted. */
  forget(indexId: string): void {
    this.#closed.delete(indexId);
    this.#missing.delete(indexId);
    this.#records.delete(indexId);
  }
}
