// What an evaluation measured: the means, and the questions to look at first.
import {
  bothMeans,
  changed,
  type MeanRow,
  meansOf,
  type Run,
  worst,
} from '../../../../../src/domain/assistants/evaluation/runs.ts';
import type { TestQuestion } from '../../../../../src/domain/assistants/evaluation/test-question.ts';
import { Empty } from '../../../ui/feedback.tsx';
import { PartHead } from '../../../ui/page.tsx';
import { saveText } from '../../../ui/save-file.ts';
import { type Column, Table } from '../../../ui/table.tsx';
import type { Evaluation } from './run-evaluation.ts';

const SHOWN = 50;

interface EvaluationResultsProps {
  /** Of the assistant. */
  readonly name: string;
  readonly evaluation: Evaluation;
}

export function EvaluationResults({ name, evaluation }: EvaluationResultsProps) {
  const { questions, runs, lines } = evaluation;
  const [first, second] = runs;
  const save = () =>
    saveText(`${name}-evaluation.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return (
    <section class="part" aria-label="Result">
      <PartHead title="Result">
        <button type="button" onClick={save}>
          Save every answer
        </button>
      </PartHead>
      <Table
        rows={second === undefined ? meansOf(first) : bothMeans(first, second)}
        columns={meanColumns(first, second)}
        keyOf={({ measure }) => measure}
      />
      <h3 class="below">
        {second === undefined ? 'Questions to look at first' : 'Questions whose alignment differs most'}
      </h3>
      <Questions questions={questions} first={first} second={second} />
    </section>
  );
}

function meanColumns(first: Run, second: Run | undefined): readonly (Column<MeanRow> | false)[] {
  const number = (title: string, valueIn: (row: MeanRow) => unknown): Column<MeanRow> => ({
    ...{ title, kind: 'number' },
    cell: (row) => shown(valueIn(row)),
  });
  return [
    { title: 'Measure', cell: ({ measure }) => measure },
    number(second === undefined ? 'Mean' : `1: ${first.label}`, (row) => row.first),
    second !== undefined && number(`2: ${second.label}`, (row) => row.second),
    second !== undefined && number('Difference', (row) => row.difference),
  ];
}

interface QuestionsProps {
  readonly questions: readonly TestQuestion[];
  readonly first: Run;
  readonly second: Run | undefined;
}

interface Row {
  readonly number: number;
  readonly question: string;
  readonly scores: readonly (number | null)[];
}

function Questions({ questions, first, second }: QuestionsProps) {
  const rows: readonly Row[] =
    second === undefined
      ? worst(questions, first).map(({ alignment, ...row }) => ({ ...row, scores: [alignment] }))
      : changed(questions, first, second).map((row) => ({ ...row, scores: [row.first, row.second] }));
  if (rows.length === 0) return <Empty title="None." />;
  const runs = second === undefined ? [first] : [first, second];
  const score = (at: number, title: string): Column<Row> => ({
    ...{ title, kind: 'number' },
    cell: ({ scores }) => shown(scores[at]),
  });
  return (
    <Table
      rows={rows.slice(0, SHOWN)}
      keyOf={({ number }) => String(number)}
      columns={[
        { title: 'No', cell: ({ number }) => number },
        {
          title: 'Question',
          kind: 'long',
          cell: (row) => <Answers question={questions[row.number - 1]} runs={runs} />,
        },
        score(0, second === undefined ? 'Alignment' : 'Alignment 1'),
        second !== undefined && score(1, 'Alignment 2'),
      ]}
    />
  );
}

interface AnswersProps {
  readonly question: TestQuestion | undefined;
  readonly runs: readonly Run[];
}

function Answers({ question, runs }: AnswersProps) {
  if (question === undefined) return null;
  return (
    <details>
      <summary class="wrapped">
        <bdi>{question.question}</bdi>
      </summary>
      <p class="quiet">True answer</p>
      <p class="answer">{question.truth}</p>
      {runs.map(({ label, outcomes }) => {
        const outcome = outcomes[question.number - 1];
        return (
          <div key={label}>
            <p class="quiet">Answer {label === '' ? '' : `(${label})`}</p>
            <p class="answer">
              {outcome === undefined ? '' : 'error' in outcome ? outcome.error : outcome.answer}
            </p>
          </div>
        );
      })}
    </details>
  );
}

function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : '–';
}
