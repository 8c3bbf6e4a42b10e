// Gives the work of a reader in a namespace to the right kind of search: in memory, directly on disk, or, where that would
// take long, by a scan in slices.
import { setTimeout as pause } from 'node:timers/promises';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { type NamespaceRow, shownBy } from '../storage/namespace-table.ts';
import { DirectSearch } from './direct-search.ts';
import type { FoundIn } from './found-records.ts';
import type { HeldScans } from './held-scans.ts';
import type { LatestFiles } from './latest-store.ts';
import type { LoadedViews } from './loaded-views.ts';
import { MemorySearch } from './memory-search.ts';
import { filterableFields } from './namespace-filter.ts';
import { picked, type Searched, scanNamespace, targetOf, type Work } from './namespace-work.ts';
import { type ReaderContext, whilePinned } from './reader-context.ts';
import { resumptions } from './resumptions.ts';
import type { NamespaceSearch, SearchTarget } from './search-target.ts';
import { StoredRecords } from './searched-records.ts';
import { isSlices, runSlices } from './slices.ts';

/** A larger one is scanned in slices, in one state of the store: other reads of the thread must not wait for all of it. */
const SCANNED_AT_ONCE_MAX = 2_000;
/** A query that writes overtake this often is answered from disk: slowly, but correctly. */
const MEMORY_TRIES_MAX = 8;

export interface SearchDispatchParts {
  readonly profile: IndexProfile;
  readonly context: ReaderContext;
  readonly files: LatestFiles;
  readonly views: LoadedViews;
  readonly scans: Pick<HeldScans, 'run'>;
  /** Null where there is none. @throws index-not-found */
  readonly namespace: (name: string) => NamespaceRow | null;
  /** Up to so many records, a namespace is searched on disk. */
  readonly directRecordsMax: number;
  /** Up to so many records, it is so at once; default SCANNED_AT_ONCE_MAX. */
  readonly scannedAtOnceMax?: number | undefined;
}

export class SearchDispatch {
  readonly #parts: SearchDispatchParts;
  readonly #scannedAtOnceMax: number;
  readonly #stored: StoredRecords;
  readonly #direct: DirectSearch;
  readonly #memory: MemorySearch;

  constructor(parts: SearchDispatchParts) {
    const { profile, files, views, context, scannedAtOnceMax = SCANNED_AT_ONCE_MAX } = parts;
    this.#parts = parts;
    this.#scannedAtOnceMax = scannedAtOnceMax;
    this.#stored = new StoredRecords(files);
    this.#direct = new DirectSearch(profile, this.#stored, context.workspace);
    this.#memory = new MemorySearch(profile, files, { views, direct: this.#direct });
  }

  /**
   * Does `work` with the right kind of search for the namespace, and repeats it when a write overtook it, after a pause
   * that doubles: the writer may still be publishing to memory what it has committed.
   * @returns null when there is no such namespace
   */
  async run<Found, Result>(searched: Searched, work: Work<Found, Result>): Promise<Result | null> {
    const { profile, views, scans, namespace } = this.#parts;
    for (let tries = 0; ; ) {
      const row = picked(namespace(searched.name), searched);
      if (row === null) return null;
      const isDirect = tries === MEMORY_TRIES_MAX || this.#isDirect(row);
      if (isDirect && this.#isLarge(row))
        return scans.run((tables) => {
          const { files, context } = this.#parts;
          const { workspace } = context;
          return scanNamespace({ profile, tables, rows: files.rows, workspace }, searched, work);
        });
      if (!isDirect && views.get(row.namespaceId) === null) {
        const { namespaceId, recordCount } = row;
        await views.load({ namespaceId, recordCount, filterable: filterableFields(profile, row) });
        await resumptions.take();
        continue;
      }
      const result = this.#runBy(isDirect ? this.#direct : this.#memory, row, work);
      if (result !== null) return result;
      if (tries > 0) await pause(2 ** (tries - 1));
      tries++;
    }
  }

  /** Null when the namespace is not in memory, or when a write overtook the work: use `run` then. */
  runAtOnce<Found, Result>(row: NamespaceRow, work: Work<Found, Result>): Result | null {
    if (this.#isDirect(row)) return this.#isLarge(row) ? null : this.#runBy(this.#direct, row, work);
    return this.#parts.views.get(row.namespaceId) === null ? null : this.#runBy(this.#memory, row, work);
  }

  /** What a search of the namespace is to look at. */
  targetOf(row: NamespaceRow): SearchTarget {
    return targetOf(this.#parts.profile, row);
  }

  /** Where the records that a search found have their vectors. */
  foundIn(target: SearchTarget): FoundIn {
    return { rows: this.#stored.rowsOf(target), dimension: this.#parts.profile.dimension };
  }

  #isLarge(row: NamespaceRow): boolean {
    return shownBy(row).records > this.#scannedAtOnceMax;
  }

  /** Whether a namespace is searched on disk. The records of a branch are in several places in memory. */
  #isDirect({ recordCount, namespaceId, inherited }: NamespaceRow): boolean {
    if (inherited !== undefined) return true;
    const { directRecordsMax, views } = this.#parts;
    return recordCount <= directRecordsMax || views.get(namespaceId) === 'tooLarge';
  }

  #runBy<Found, Result>(
    search: NamespaceSearch,
    row: NamespaceRow,
    { ask, finish }: Work<Found, Result>,
  ): Result | null {
    return whilePinned(this.#parts.context, () => {
      const target = this.targetOf(row);
      const asked = ask(search, target, shownBy(row).records);
      const found = isSlices(asked) ? runSlices(asked) : asked;
      return found === null ? null : finish(found, this.foundIn(target));
    });
  }
}
