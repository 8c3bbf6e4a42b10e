// A judgment set: questions to an index, each with records that people have judged by how well they answer it.
import type { JsonObject } from '../json.ts';

/** How well a record answers a question: 0 not at all, 1 a little, 2 well, 3 perfectly. */
export const GRADE_MAX = 3;
/** From this grade on, a record counts as relevant. */
export const RELEVANT_GRADE_MIN = 1;

export const JUDGMENT_SETS_PER_INDEX_MAX = 100;
export const JUDGMENT_SET_NAME_CHARS_MAX = 100;
export const JUDGED_QUESTIONS_MAX = 500;
/** Of one question. */
export const JUDGMENTS_PER_QUESTION_MAX = 200;
/** Of all questions of a set together. */
export const JUDGMENTS_MAX = 10_000;
export const QUESTION_TEXT_CHARS_MAX = 10_000;
/** Of the questions of a set as JSON; also the bound of a request that brings them. */
export const JUDGMENT_SET_BYTES_MAX = 1024 * 1024;
/** Of all sets of a project as JSON, their questions and scores: they lie in the catalog. */
export const JUDGMENT_BYTES_PER_PROJECT_MAX = 256 * 1024 * 1024;
/** The latest scores, which a set keeps. */
export const KEPT_SCORES_MAX = 50;

export const SCORED_K_DEFAULT = 10;
export const SCORED_K_MAX = 100;
export const SCORED_CONFIGURATIONS_MAX = 4;
/** Of one configuration as JSON: sets keep those of their latest scores. */
export const CONFIGURATION_BYTES_MAX = 16_384;

export interface Judgment {
  /** The id of a record or document. */
  readonly id: string;
  /** 0 to GRADE_MAX. */
  readonly grade: number;
}

/** What is asked: exactly one of a text, the id of a record, and vectors. */
export interface Question {
  readonly text?: string;
  readonly id?: string;
  readonly vector?: readonly number[];
  readonly sparseVector?: { readonly indices: readonly number[]; readonly values: readonly number[] };
  readonly filter?: JsonObject;
}

export interface JudgedQuestion extends Question {
  /** One for each judged record. */
  readonly judgments: readonly Judgment[];
}

export interface JudgmentSetSummary {
  readonly id: string;
  readonly indexId: string;
  readonly name: string;
  /** The stored name of a namespace, or an alias. */
  readonly namespace: string;
  readonly questionCount: number;
  readonly judgmentCount: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; of the name, the namespace or the questions. */
  readonly updatedAt: string;
}

/** Means over the questions that have a relevant record; null without any. */
export interface ScoreFigures {
  readonly ndcg: number | null;
  readonly recall: number | null;
  readonly mrr: number | null;
}

/** A score as the set keeps it. */
export interface KeptScore {
  /** ISO 8601. */
  readonly scoredAt: string;
  readonly k: number;
  readonly configurations: readonly (ScoreFigures & { readonly configuration: JsonObject })[];
}

export interface JudgmentSet extends JudgmentSetSummary {
  readonly questions: readonly JudgedQuestion[];
  /** Newest first. */
  readonly scores: readonly KeptScore[];
}

/** Equal for questions that ask the same. */
export function questionKey({ text, id, vector, sparseVector, filter }: Question): string {
  return JSON.stringify([text ?? null, id ?? null, vector ?? null, sparseVector ?? null, filter ?? null]);
}

export function judgmentCount(questions: readonly JudgedQuestion[]): number {
  return questions.reduce((sum, { judgments }) => sum + judgments.length, 0);
}
