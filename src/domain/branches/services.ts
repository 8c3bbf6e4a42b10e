// Branches of namespaces, as the APIs request them. Namespaces have their stored names.
import type { ProjectAccess } from '../access.ts';
import type { Job } from '../jobs.ts';

export const BRANCH_PAGE = { min: 1, max: 1_000, preset: 100 };
export const BRANCH_COMPARISON = {
  queriesMax: 100,
  exactQueriesMax: 10,
  topKMax: 100,
  topKPreset: 10,
  /** Characters of a query by text. */
  textCharsMax: 10_000,
};

/** A namespace that began as what another one was. Times are ISO texts. */
export interface NamespaceBranch {
  readonly name: string;
  readonly source: string;
  readonly baseLsn: number;
  readonly createdAt: string;
  readonly state: 'shared' | 'whole' | 'detached';
  readonly records: number;
  readonly ownRecords: number;
  readonly ownBytes: number;
  readonly changedRecords: number;
  readonly deletedRecords: number;
  readonly changedInSource: number;
}

export interface BranchRequest {
  readonly source: string;
  readonly name: string;
  /** The state to begin with: after this write, or at this moment in milliseconds since 1970; null for the present. */
  readonly asOf: { readonly lsn: number } | { readonly ms: number } | null;
}

export type SideChange = 'added' | 'changed' | 'deleted';

/** A record that is not the same on both sides; null for a side that has left it as it was. */
export interface BranchDifference {
  readonly id: string;
  readonly inBranch: SideChange | null;
  readonly inSource: SideChange | null;
}

/** Differing records, by what each side has done. */
export interface DifferenceCounts {
  readonly inBranch: Readonly<Record<SideChange, number>>;
  readonly inSource: Readonly<Record<SideChange, number>>;
  /** Changed on both sides. */
  readonly conflicts: number;
}

export interface BranchQuery {
  /** By the vectors of the record of this id in the source, or else in the branch. */
  readonly id?: string;
  readonly vector?: readonly number[];
  /** Embedded by the model of the index. */
  readonly text?: string;
}

export interface ComparisonRequest {
  readonly queries: readonly BranchQuery[];
  readonly topK: number;
  /** True to search exactly, too. */
  readonly hasRecall: boolean;
}

/** A result and its places, from 1; null where it is not among the first. */
export interface MovedResult {
  readonly id: string;
  readonly inSource: number | null;
  readonly inBranch: number | null;
}

/** The share of the exact results of each side that its search finds, 0 to 1. */
export interface SideRecall {
  readonly source: number;
  readonly branch: number;
}

export interface ComparedQuery {
  /** The share of the results of the source that the branch has, too. */
  readonly overlap: number;
  /** Results that are not at the same place on both sides, in the order of the source. */
  readonly moved: readonly MovedResult[];
  /** Null where it was not asked for. */
  readonly recall: SideRecall | null;
}

export interface BranchComparison {
  /** The mean over the queries. */
  readonly overlap: number;
  readonly recall: SideRecall | null;
  readonly queries: readonly ComparedQuery[];
}

export type OnConflict = 'fail' | 'branch' | 'source';

export interface Merge extends Pick<Job, 'state' | 'percent' | 'error' | 'createdAt' | 'finishedAt'> {
  readonly branch: string;
  readonly onConflict: OnConflict;
  /** Records of the source written, and deleted. */
  readonly written: number;
  readonly deleted: number;
  readonly conflicts: number;
  /** The last write before the first of its own: to undo it, return to this. */
  readonly fromLsn: number;
}

/** All methods throw index-not-found, index-not-ready; invalid-argument where the server has no branches. */
export interface NamespaceBranches {
  /** In bytewise order of their names. */
  list(access: ProjectAccess, index: string): Promise<readonly NamespaceBranch[]>;
  /**
   * @throws namespace-not-found, namespace-exists, name-in-use-by-alias, reembedding-under-way, embedded-since; invalid-argument as the
   *   port tells
   */
  create(access: ProjectAccess, index: string, request: BranchRequest): Promise<NamespaceBranch>;
  /** @throws branch-not-found */
  describe(access: ProjectAccess, index: string, name: string): Promise<NamespaceBranch>;
  /** Deletes its namespace. @throws branch-not-found; invalid-argument while an alias leads to it */
  drop(access: ProjectAccess, index: string, name: string): Promise<void>;
  /** @throws branch-not-found; invalid-argument where the source was deleted */
  differences(
    access: ProjectAccess,
    index: string,
    page: { readonly branch: string; readonly after: string | null; readonly limit: number },
  ): Promise<{ readonly differences: readonly BranchDifference[]; readonly next: string | null }>;
  /** Looks at all. @throws as `differences` */
  countDifferences(access: ProjectAccess, index: string, name: string): Promise<DifferenceCounts>;
  /** @throws branch-not-found; invalid-argument for queries that do not fit, or no such record; what the model throws */
  compare(
    access: ProjectAccess,
    index: string,
    request: ComparisonRequest & { readonly branch: string },
  ): Promise<BranchComparison>;
  /**
   * Stores the job, or returns the one that does the same. @throws branch-not-found; branch-conflicts where both sides have
   * changed records and `onConflict` is fail; reembedding-under-way; invalid-argument where another merge of the branch is under way
   */
  merge(
    access: ProjectAccess,
    index: string,
    request: { readonly branch: string; readonly onConflict: OnConflict },
  ): Promise<Merge>;
  /** The latest of the branch. @throws merge-not-found */
  latestMerge(access: ProjectAccess, index: string, name: string): Promise<Merge>;
}
