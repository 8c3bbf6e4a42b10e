// Branches: namespaces that begin as what another one is, share its records until either side changes them, and can be
// compared with it and merged into it.
import type { BranchSources, ExpiryMoment } from '../../domain/expiry/time-to-live.ts';
import type { Lsn } from './reader-and-writer.ts';

/**
 * `shared`: it shows records of its source, which are stored once. `whole`: all its records are its own.
 * `detached`: its source was deleted; it becomes an ordinary namespace as soon as it is whole.
 */
export type BranchState = 'shared' | 'whole' | 'detached';

export interface Branch {
  /** The name of its namespace. */
  readonly name: string;
  /** The name of the namespace that it was made of. */
  readonly source: string;
  /** The last write of the source that it began with. */
  readonly baseLsn: Lsn;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly state: BranchState;
  /** True while it shows records of its source that are not its own. */
  readonly isShared: boolean;
  /** All that it shows. */
  readonly records: number;
  /** Those of its own, and their bytes. */
  readonly ownRecords: number;
  readonly ownBytes: number;
  /** Records that it has written or deleted since, merged ones excepted. */
  readonly changedRecords: number;
  /** Of those, the deleted ones. */
  readonly deletedRecords: number;
  /** Records that the source has written or deleted since. */
  readonly changedInSource: number;
}

export interface NewBranch {
  readonly source: string;
  readonly name: string;
  /** The write of the source to begin after; null for its last. */
  readonly asOf: Lsn | null;
}

/** What a side has done to a record. */
export type SideChange = 'added' | 'changed' | 'deleted';

/** A record that is not the same on both sides. */
export interface BranchDifference {
  readonly id: string;
  /** Null where that side has left it as it was. */
  readonly inBranch: SideChange | null;
  readonly inSource: SideChange | null;
}

export interface DifferencesRequest {
  readonly branch: string;
  /** The id that the page starts after (exclusive). */
  readonly after: string | null;
  /** The most changed records to look at, those included that are the same on both sides. */
  readonly limit: number;
  /** Leaves out records that have expired on every side that has them. Default none. */
  readonly expiry?: ExpiryMoment | undefined;
}

export interface DifferencesPage {
  /** In bytewise order of their ids. */
  readonly differences: readonly BranchDifference[];
  /** Where the next page starts (exclusive), or null on the last page. */
  readonly next: string | null;
}

/** Which side wins where both have changed a record; `fail` leaves that of the source. */
export type OnConflict = 'fail' | 'branch' | 'source';

export interface MergeRequest {
  /** Calls with the same key go on with the same work. */
  readonly key: string;
  readonly branch: string;
  /** When it was created: one that has taken its name since is not merged. Default any of the name. */
  readonly createdMs?: number | undefined;
  readonly onConflict: OnConflict;
  /** Records that have expired on every side that has them are no conflicts. Default none. */
  readonly expiry?: ExpiryMoment | undefined;
}

export interface MergeProgress {
  readonly isDone: boolean;
  /** 0 to 1. */
  readonly share: number;
  /** Records of the source written since the work began or the engine started. */
  readonly written: number;
  readonly deleted: number;
  /** Records that both sides have changed. */
  readonly conflicts: number;
}

export interface WholeProgress {
  readonly isDone: boolean;
  /** 0 to 1. */
  readonly share: number;
}

/** The branches of one index. Engines whose `branches` capability is false have none. */
export interface IndexBranches {
  /**
   * Creates a branch, which is on disk and visible when it resolves. Takes the same time at any size.
   * @throws namespace-not-found, namespace-exists; invalid-argument for too many branches, or branches of branches, for a
   *   moment that the history does not reach, or since which too much has changed
   */
  create(branch: NewBranch): Promise<Branch>;
  /** In bytewise order of their names. A branch that was deleted, or has no source any more and is whole, is none. */
  list(): Promise<readonly Branch[]>;
  /** @throws branch-not-found; invalid-argument where its source was deleted */
  differences(request: DifferencesRequest): Promise<DifferencesPage>;
  /**
   * Makes a part of the source as the branch is, by ordinary writes. Call it until it is done; after a crash, it goes on
   * with the same request. The branch stays.
   * @throws branch-not-found; invalid-argument where its source was deleted
   */
  merge(request: MergeRequest): Promise<MergeProgress>;
  /** Copies a part of what a branch shares. Call it until it is done. @throws branch-not-found */
  makeWhole(branch: string): Promise<WholeProgress>;
}

/** The sources that branches have still. */
export function sourcesOf(branches: readonly Pick<Branch, 'name' | 'source' | 'state'>[]): BranchSources {
  const attached = branches.filter(({ state }) => state !== 'detached');
  return new Map(attached.map(({ name, source }) => [name, source]));
}
