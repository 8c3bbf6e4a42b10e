// Sets outcomes of a question set side by side: the means of one or two runs, and the questions to look at first.
import type { JsonObject } from '../../json.ts';
import { type Configuration, labelsOf } from './configuration.ts';
import type { Outcome } from './measure-question.ts';
import { differenceOf, rounded, type Summary, summaryOf } from './summary.ts';
import type { TestQuestion } from './test-question.ts';

/** Outcomes and their summary, of one configuration. */
export interface Run {
  readonly label: string;
  /** In the order of the questions. */
  readonly outcomes: readonly Outcome[];
  readonly summary: Summary;
}

/** One run, or two to compare. */
export type Runs = readonly [Run] | readonly [Run, Run];

/** What each measure of a summary is called. */
export const MEASURES: Readonly<Record<Exclude<keyof Summary, 'with_file'>, string>> = {
  questions: 'questions',
  failed: 'failed questions',
  recall: 'retrieval recall',
  reciprocal_rank: 'reciprocal rank',
  citation_precision: 'citation precision',
  correctness: 'correctness',
  completeness: 'completeness',
  alignment: 'alignment',
  prompt_tokens: 'prompt tokens',
  completion_tokens: 'answer tokens',
  evaluation_tokens: 'evaluation tokens',
  seconds: 'seconds',
  seconds_p95: 'seconds, 95th percentile',
};
/**
 * One run for each of the one or two configurations.
 * @param outcomes by the numbers of the questions, in the order of the configurations
 */
export function runsOf(
  questions: readonly TestQuestion[],
  configurations: readonly Configuration[],
  outcomes: readonly ReadonlyMap<number, Outcome>[],
): Runs {
  const [labelOfFirst = '', labelOfSecond = ''] = labelsOf(configurations);
  const runOf = (label: string, byNumber: ReadonlyMap<number, Outcome> = new Map()): Run => {
    const ordered = questions.flatMap(({ number }) => byNumber.get(number) ?? []);
    return { label, outcomes: ordered, summary: summaryOf(ordered) };
  };
  const first = runOf(labelOfFirst, outcomes[0]);
  return outcomes.length === 1 ? [first] : [first, runOf(labelOfSecond, outcomes[1])];
}

/** The summary of an evaluation, as programs read it. */
export function summaryLine(configurations: readonly Configuration[], runs: Runs) {
  const results = runs.map(({ summary }, at) => ({ configuration: configurations[at], summary }));
  const [first, second] = runs;
  if (second === undefined) return { results };
  return { results, difference: differenceOf(first.summary, second.summary) };
}

/** A row of the table of means. */
export interface MeanRow extends JsonObject {
  readonly measure: string;
  readonly first: unknown;
  readonly second?: unknown;
  readonly difference?: unknown;
}

export function meansOf({ summary }: Run): readonly MeanRow[] {
  const values: JsonObject = { ...summary };
  return Object.entries(MEASURES).map(([name, measure]) => ({ measure, first: values[name] }));
}

export function bothMeans(first: Run, second: Run): readonly MeanRow[] {
  const others = meansOf(second);
  const difference = differenceOf(first.summary, second.summary);
  const names = Object.keys(MEASURES);
  return meansOf(first).map((row, at) => ({
    ...row,
    second: others[at]?.first,
    difference: difference[names[at] ?? ''],
  }));
}

/** A question that failed has its error as the answer, and no figures. */
export interface WorstRow extends JsonObject {
  readonly number: number;
  readonly question: string;
  readonly answer: string;
  readonly alignment: number | null;
  readonly recall: number | null;
}

/** By alignment; those that failed first, and of equal ones those whose file was not found. */
export function worst(questions: readonly TestQuestion[], { outcomes }: Run): readonly WorstRow[] {
  const rows = questions.flatMap(({ number, question }, at): readonly WorstRow[] => {
    const outcome = outcomes[at];
    if (outcome === undefined) return [];
    if ('error' in outcome)
      return [{ number, question, answer: outcome.error, alignment: null, recall: null }];
    const { recall, answer } = outcome;
    const alignment = rounded(outcome.alignment);
    return alignment === 1 && recall !== 0 ? [] : [{ number, question, answer, alignment, recall }];
  });
  return rows.toSorted(
    (a, b) => (a.alignment ?? -1) - (b.alignment ?? -1) || (a.recall ?? 1) - (b.recall ?? 1),
  );
}

export interface ChangedRow extends JsonObject {
  readonly number: number;
  readonly question: string;
  /** Alignment in each run, and the second less the first. */
  readonly first: number;
  readonly second: number;
  readonly difference: number;
}

/** Those whose alignment differs most first. */
export function changed(questions: readonly TestQuestion[], one: Run, other: Run): readonly ChangedRow[] {
  const rows = questions.flatMap(({ number, question }, at) => {
    const [first, second] = [alignmentOf(one.outcomes[at]), alignmentOf(other.outcomes[at])];
    const difference = rounded(second - first);
    return difference === 0 ? [] : [{ number, question, first, second, difference }];
  });
  return rows.toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

/** A question that failed has no agreement. */
function alignmentOf(outcome: Outcome | undefined): number {
  return outcome === undefined || 'error' in outcome ? 0 : rounded(outcome.alignment);
}
