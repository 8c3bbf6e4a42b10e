// Judgment sets and their scores, as the console reads them.

export interface Question {
  readonly text?: string;
  readonly id?: string;
  readonly vector?: readonly number[];
  readonly sparse_vector?: { readonly indices: readonly number[]; readonly values: readonly number[] };
  readonly filter?: object;
}

export interface Judgment {
  readonly id: string;
  readonly grade: number;
}

export interface JudgedQuestion extends Question {
  readonly judgments: readonly Judgment[];
}

export interface SetSummary {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly question_count: number;
  readonly judgment_count: number;
  readonly updated_at: string;
}

export interface Figures {
  readonly ndcg: number | null;
  readonly recall: number | null;
  readonly mrr: number | null;
}

export interface KeptScore {
  readonly scored_at: string;
  readonly k: number;
  readonly configurations: readonly (Figures & { readonly configuration: object })[];
}

export interface JudgmentSet extends SetSummary {
  readonly questions: readonly JudgedQuestion[];
  /** Newest first. */
  readonly scores: readonly KeptScore[];
}

export interface QuestionResult {
  readonly ndcg: number | null;
  readonly found: readonly { readonly id: string; readonly grade: number | null }[];
}

export interface ScoredQuestion extends JudgedQuestion {
  readonly results: readonly QuestionResult[];
}

export interface Score {
  readonly k: number;
  readonly configurations: readonly (Figures & { readonly judged: number; readonly milliseconds: number })[];
  readonly questions: readonly ScoredQuestion[];
}
