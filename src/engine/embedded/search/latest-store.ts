// An index's record store as one reader uses it: it shows every commit made so far, and is refreshed only when there
// was one.
import type { Lsn } from '../../port/reader-and-writer.ts';
import type { CommitCount } from '../memory/commit-count.ts';
import type { CheckedRows } from '../storage/checked-rows.ts';
import type { NamespaceRow } from '../storage/namespace-table.ts';
import { type RecordStore, SEQ } from '../storage/record-store.ts';

/** The files of an index, as its searches read them. */
export interface LatestFiles {
  readonly store: LatestStore;
  /** Null on sparse indexes. */
  readonly rows: CheckedRows | null;
}

/** Decoded rows of namespaces to cache; a schema may make them large. */
const NAMESPACES_CACHED_MAX = 64;

export class LatestStore {
  /** The store as last shown: for the rest of what began with `now` or `hold`. */
  readonly shown: RecordStore;
  readonly #commits: CommitCount;
  readonly #namespaces = new Map<string, NamespaceRow | null>();
  #lsn: Lsn | null = null;
  /** The commits that the store shows for certain. */
  #seen: number | null = null;

  constructor(store: RecordStore, commits: CommitCount) {
    this.shown = store;
    this.#commits = commits;
  }

  /** The store, showing every commit made before this call. */
  get now(): RecordStore {
    // Before the refresh: a commit in between is then seen twice rather than never.
    const seen = this.#commits.now;
    if (seen !== this.#seen) {
      this.shown.refresh();
      this.#namespaces.clear();
      this.#lsn = null;
      this.#seen = seen;
    }
    return this.shown;
  }

  /** Shows every commit made before this call, and none made while the current task runs. */
  hold(): void {
    this.now.hold();
  }

  get lsn(): Lsn {
    const store = this.now;
    this.#lsn ??= store.numbers.get(SEQ);
    return this.#lsn;
  }

  namespace(name: string): NamespaceRow | null {
    const store = this.now;
    let row = this.#namespaces.get(name);
    if (row === undefined) {
      row = store.namespaces.get(name);
      if (this.#namespaces.size === NAMESPACES_CACHED_MAX) this.#namespaces.clear();
      this.#namespaces.set(name, row);
    }
    return row;
  }
}
