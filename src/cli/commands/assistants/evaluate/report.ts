// Shows an evaluation: the means, of two configurations side by side, and the questions to look at first.
import type { JsonObject } from '../../../../domain/json.ts';
import type { Io } from '../../../command.ts';
import { lines, table } from '../../../terminal/table.ts';
import type { TestQuestion } from './question-set.ts';
import type { Outcome } from './run-question.ts';
import { differenceOf, rounded, type Summary } from './summary.ts';

/** Outcomes and their summary, of one configuration. */
export interface Run {
  readonly label: string;
  /** In the order of the questions. */
  readonly outcomes: readonly Outcome[];
  readonly summary: Summary;
}

/** One run, or two to compare. */
export type Runs = readonly [Run] | readonly [Run, Run];

const MEASURES: Readonly<Record<Exclude<keyof Summary, 'with_file'>, string>> = {
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
const WORST = {
  number: 'NO',
  alignment: 'ALIGNMENT',
  recall: 'RECALL',
  question: 'QUESTION',
  answer: 'ANSWER',
};
const CHANGED = {
  number: 'NO',
  first: 'FIRST',
  second: 'SECOND',
  difference: 'DIFFERENCE',
  question: 'QUESTION',
};

/** @param shown how many questions are listed below the means */
export function reportOf(
  questions: readonly TestQuestion[],
  [first, second]: Runs,
  { io: { outColumns }, shown }: { readonly io: Io; readonly shown: number },
): string {
  const print =
    outColumns === null
      ? lines
      : (rows: readonly JsonObject[], columns: Readonly<Record<string, string>>) =>
          `${table(rows, columns, outColumns)}\n`;
  const means =
    second === undefined
      ? print(meansOf(first), { measure: 'MEASURE', first: 'MEAN' })
      : print(bothMeans(first, second), {
          measure: 'MEASURE',
          first: first.label,
          second: second.label,
          difference: 'DIFFERENCE',
        });
  const rows = second === undefined ? worst(questions, first) : changed(questions, first, second);
  const list = rows.slice(0, shown);
  if (list.length === 0) return means;
  return `${means}\n${print(list, second === undefined ? WORST : CHANGED)}`;
}

function meansOf({ summary }: Run): readonly JsonObject[] {
  const values: JsonObject = { ...summary };
  return Object.entries(MEASURES).map(([name, measure]) => ({ measure, first: values[name] }));
}

function bothMeans(first: Run, second: Run): readonly JsonObject[] {
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
interface WorstRow extends JsonObject {
  readonly number: number;
  readonly question: string;
  readonly answer: string;
  readonly alignment: number | null;
  readonly recall: number | null;
}

/** By alignment; those that failed first, and of equal ones those whose file was not found. */
function worst(questions: readonly TestQuestion[], { outcomes }: Run): readonly WorstRow[] {
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

/** Those whose alignment differs most first. */
function changed(questions: readonly TestQuestion[], one: Run, other: Run): readonly JsonObject[] {
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
