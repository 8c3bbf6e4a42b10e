// The database's clock, by which all nodes compare leases and due times, whatever their own clocks say.

/** Converts times between this node's clock and the one that the catalog's nodes share. */
export interface CatalogClock {
  /** @param time ISO 8601, as are the results */
  toShared(time: string): string;
  toOwn(time: string): string;
}

/** For a catalog of one process: its clock is everybody's. */
export const OWN_CLOCK: CatalogClock = { toShared: (time) => time, toOwn: (time) => time };

/** Follows the difference to the database's clock, which every transaction reports. */
export class DatabaseClock implements CatalogClock {
  #aheadMs = 0;

  /** How far the database's clock is ahead of this node's, in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** @param databaseMs what the database has just reported, in milliseconds since 1970 */
  report(databaseMs: number, ownMs: number = Date.now()): void {
    this.#aheadMs = Math.round(databaseMs - ownMs);
  }

  toShared(time: string): string {
    return shifted(time, this.#aheadMs);
  }

  toOwn(time: string): string {
    return shifted(time, -this.#aheadMs);
  }
}

function shifted(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}
