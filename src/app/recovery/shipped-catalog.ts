// Reads what has changed of the catalog since it was shipped last: pages, and the whole file from time to time.
import type { Catalog, CatalogPages } from '../../catalog/port.ts';
import type { LogObject } from './log-object.ts';

const DAY_MS = 86_400_000;

export class ShippedCatalog {
  readonly #pages: Catalog['pages'];
  readonly #now: () => number;
  /** As it is in the last object, which may not be stored yet. */
  #last: CatalogPages | null = null;
  #bytes = { whole: 0, since: 0, wholeAt: 0 };

  /** @param now milliseconds since 1970 */
  constructor(pages: Catalog['pages'], now: () => number) {
    this.#pages = pages;
    this.#now = now;
  }

  /** The next object has all of it: another timeline has begun. */
  forget(): void {
    this.#last = null;
  }

  /** Adds what has changed, from time to time all of it. */
  async addTo(object: LogObject): Promise<'nothing' | 'changes' | 'whole'> {
    const { whole, since, wholeAt } = this.#bytes;
    const isWhole = this.#last === null || since > whole || this.#now() - wholeAt > DAY_MS;
    const read = await this.#pages?.(isWhole ? null : this.#last);
    if (read === null || read === undefined) return 'nothing';
    const { pageBytes, pageCount, changed, sha256, bytes } = read;
    const ms = this.#now();
    this.#bytes = isWhole
      ? { whole: bytes.length, since: 0, wholeAt: ms }
      : { whole, wholeAt, since: since + bytes.length };
    await object.add(
      { kind: 'catalog', ms, pageBytes, pageCount, changed: isWhole ? null : changed, sha256 },
      bytes,
    );
    this.#last = read;
    return isWhole ? 'whole' : 'changes';
  }
}
