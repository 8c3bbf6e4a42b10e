// Changing the model of an index while it answers, as the APIs request it.
import type { ProjectAccess } from '../access.ts';
import type { Job } from '../jobs.ts';
import type { GivenParameters } from './stored-parameters.ts';
import type { ModelChangeState } from './vector-sets.ts';

export interface RequestedModelChange {
  readonly model: string;
  /** By default that of the present vectors where the model can make it, else the model's own. */
  readonly dimension?: number | undefined;
  readonly writeParameters?: GivenParameters | undefined;
  readonly readParameters?: GivenParameters | undefined;
}

/** Models and dimension of one set of vectors. */
export interface VectorSetSummary {
  readonly models: readonly string[];
  readonly dimension: number | null;
}

export interface ModelChangeStatus {
  readonly state: ModelChangeState;
  readonly answering: VectorSetSummary;
  readonly standby: VectorSetSummary;
  /** The job that makes the new vectors; null once it is forgotten. */
  readonly job: Pick<Job, 'state' | 'percent' | 'error'> | null;
  /** Records copied by the job. */
  readonly copied: number;
  /** Records and namespaces that changed and that the other vectors do not follow yet. */
  readonly pending: number;
  /** Why the other vectors cannot follow; null while they can. */
  readonly problem: string | null;
  readonly startedAt: string;
  readonly changedAt: string;
}

/** A query to compare both sets of vectors by. */
export interface ComparedQuery {
  /** As stored; '' for the default one. */
  readonly namespace: string;
  readonly text: string;
  /** The records that answer it, where the caller knows them. */
  readonly relevantIds?: readonly string[] | undefined;
}

/** How well one set of vectors finds the records that answer; null where no query has such records. */
export interface SetFigures {
  /** The mean recall that its searches expect against an exact search of the same vectors. */
  readonly expectedRecall: number;
  readonly recall: number | null;
  readonly ndcg: number | null;
}

export interface QueryComparison extends ComparedQuery {
  readonly answering: readonly string[];
  readonly standby: readonly string[];
  /** The share of the top records that both have. */
  readonly overlap: number;
}

export interface ModelComparison {
  readonly topK: number;
  /** Means over all queries. */
  readonly overlap: number;
  /** The share of queries with the same first record. */
  readonly sameFirst: number;
  /** Rank-biased overlap (p = 0.9) of both rankings. */
  readonly rankBiasedOverlap: number;
  readonly answering: SetFigures;
  readonly standby: SetFigures;
  /** The queries whose results differ most, first. */
  readonly queries: readonly QueryComparison[];
}

export interface ComparisonRequest {
  /** By default the latest queries that the index was asked by text. */
  readonly queries?: readonly ComparedQuery[] | undefined;
  readonly topK: number;
}

export interface ModelChanges {
  /**
   * Begins to make vectors by another model; called again after a failure, it goes on.
   * @throws index-not-found, not-integrated, model-not-found, invalid-argument, wrong-index-kind, model-change-exists,
   *   model-change-refused
   */
  start(access: ProjectAccess, name: string, requested: RequestedModelChange): Promise<ModelChangeStatus>;
  /** @throws index-not-found, model-change-not-found */
  describe(access: ProjectAccess, name: string): Promise<ModelChangeStatus>;
  /** @throws as `describe`; model-change-not-ready, invalid-argument */
  compare(access: ProjectAccess, name: string, request: ComparisonRequest): Promise<ModelComparison>;
  /**
   * Lets the new vectors answer, or the former ones again. No effect when they do.
   * @throws as `describe`; model-change-not-ready
   */
  answerBy(access: ProjectAccess, name: string, which: 'new' | 'former'): Promise<ModelChangeStatus>;
  /** Removes the vectors that do not answer: gives the change up, or the way back. @throws as `describe` */
  end(access: ProjectAccess, name: string): Promise<void>;
}
