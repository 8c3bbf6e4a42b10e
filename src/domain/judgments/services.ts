// Judgment sets as endpoints use them.
import type { Index } from '../index-model.ts';
import type { JsonObject } from '../json.ts';
import type {
  JudgedQuestion,
  Judgment,
  JudgmentSet,
  JudgmentSetSummary,
  Question,
  ScoreFigures,
} from './judgment-set.ts';

export interface NewJudgmentSet {
  readonly name: string;
  /** A stored name. */
  readonly namespace: string;
  readonly questions: readonly JudgedQuestion[];
}

/** A new opinion of a record; null takes the former one back. */
export interface ChangedJudgment {
  readonly id: string;
  readonly grade: number | null;
}

export interface ScoreRequest {
  /** Results that count. */
  readonly k: number;
  /** Of searches, as the caller gave them; at least one. */
  readonly configurations: readonly JsonObject[];
  /**
   * Whether the figures are kept with the set, which drops its oldest. Asked after the searches, which may take minutes.
   * @throws what ends the score in place of an answer
   */
  readonly isKept: () => Promise<boolean>;
  /** The ids that a search by the configuration of this position finds, best first. */
  readonly search: (
    namespace: string,
    question: Question,
    configuration: number,
  ) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

/** What one search found of the relevant records of a question; null where it has none. */
export interface QuestionScore {
  readonly ndcg: number | null;
  readonly recall: number | null;
  readonly reciprocalRank: number | null;
  /** The share of the results that have been judged. */
  readonly judged: number;
  readonly milliseconds: number;
  /** The first results, with their grades; null for those that nobody has judged. */
  readonly found: readonly { readonly id: string; readonly grade: number | null }[];
}

export interface ConfigurationScore extends ScoreFigures {
  readonly judged: number;
  readonly milliseconds: number;
}

export interface SetScore {
  readonly scoredAt: string;
  readonly k: number;
  readonly configurations: readonly ConfigurationScore[];
  readonly questions: readonly {
    readonly question: Question;
    readonly judgments: readonly Judgment[];
    /** One for each configuration. */
    readonly results: readonly QuestionScore[];
  }[];
}

/** A change is on disk when its promise resolves. */
export interface JudgmentSets {
  /** @throws judgment-sets-exhausted, judgment-bytes-exhausted, invalid-argument, unknown-host when the index is gone */
  create(index: Index, set: NewJudgmentSet): Promise<JudgmentSet>;
  /** By name. */
  list(indexId: string): Promise<readonly JudgmentSetSummary[]>;
  /** @throws judgment-set-not-found */
  describe(indexId: string, id: string): Promise<JudgmentSet>;
  /** @throws judgment-set-not-found, judgment-bytes-exhausted, invalid-argument */
  update(index: Index, id: string, changes: Partial<NewJudgmentSet>): Promise<JudgmentSet>;
  /**
   * Adds opinions to a question, and the question where it is new; it goes with its last one.
   * @throws judgment-set-not-found, judgment-bytes-exhausted, invalid-argument
   */
  judge(
    index: Index,
    id: string,
    judged: { readonly question: Question; readonly judgments: readonly ChangedJudgment[] },
  ): Promise<JudgmentSet>;
  /** @throws judgment-set-not-found */
  delete(indexId: string, id: string): Promise<void>;
  /**
   * Runs all questions by each configuration, and keeps the figures with the set where the request says so.
   * @throws judgment-set-not-found, namespace-not-found, invalid-argument without questions, overloaded,
   *   judgment-bytes-exhausted where they are kept; what a search or `isKept` throws; the signal's reason
   */
  score(index: Index, id: string, request: ScoreRequest): Promise<SetScore>;
}
