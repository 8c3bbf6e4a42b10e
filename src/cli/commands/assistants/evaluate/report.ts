// Shows an evaluation: the means, of two configurations side by side, and the questions to look at first.
import {
  bothMeans,
  changed,
  meansOf,
  type Runs,
  worst,
} from '../../../../domain/assistants/evaluation/runs.ts';
import type { TestQuestion } from '../../../../domain/assistants/evaluation/test-question.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import type { Io } from '../../../command.ts';
import { lines, table } from '../../../terminal/table.ts';

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
