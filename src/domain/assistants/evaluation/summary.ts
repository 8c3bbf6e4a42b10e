// Sums up the outcomes of a question set: means of each measure, and what differs between two configurations.
import type { JsonObject } from '../../json.ts';
import type { Measured, Outcome } from './measure-question.ts';

/** Means over the questions that have the measure; null where none has. */
export interface Summary {
  readonly questions: number;
  readonly failed: number;
  /** Questions of the set that name a file, among those that did not fail. */
  readonly with_file: number;
  readonly recall: number | null;
  /** Mean of 1 / rank; 0 for questions whose snippets lack the right one. */
  readonly reciprocal_rank: number | null;
  readonly citation_precision: number | null;
  readonly correctness: number | null;
  readonly completeness: number | null;
  readonly alignment: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly evaluation_tokens: number | null;
  readonly seconds: number | null;
  /** The 95th percentile of the seconds. */
  readonly seconds_p95: number | null;
}

const PERCENTILE = 0.95;

export function summaryOf(outcomes: readonly Outcome[]): Summary {
  const measured = outcomes.filter((each) => 'answer' in each);
  const meanOf = (measureOf: (each: Measured) => number | null) => mean(measured.map(measureOf));
  return {
    questions: outcomes.length,
    failed: outcomes.length - measured.length,
    with_file: measured.filter(({ recall }) => recall !== null).length,
    recall: meanOf(({ recall }) => recall),
    reciprocal_rank: meanOf(({ recall, rank }) => (rank === null ? recall : 1 / rank)),
    citation_precision: meanOf((each) => each.citation_precision),
    correctness: meanOf((each) => each.correctness),
    completeness: meanOf((each) => each.completeness),
    alignment: meanOf((each) => each.alignment),
    prompt_tokens: meanOf((each) => each.prompt_tokens),
    completion_tokens: meanOf((each) => each.completion_tokens),
    evaluation_tokens: meanOf((each) => each.evaluation_tokens),
    seconds: meanOf(({ seconds }) => seconds),
    seconds_p95: percentile(measured.map(({ seconds }) => seconds)),
  };
}

/** Second less first, for each measure that both have. */
export function differenceOf(first: Summary, second: Summary): JsonObject {
  const others: JsonObject = { ...second };
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => {
      const other = others[name];
      return [name, typeof value === 'number' && typeof other === 'number' ? rounded(other - value) : null];
    }),
  );
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((each) => each !== null);
  return known.length === 0 ? null : rounded(known.reduce((sum, each) => sum + each, 0) / known.length);
}

/** By the nearest rank. */
function percentile(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(PERCENTILE * sorted.length) - 1] ?? null;
}

/** To three digits after the point. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
