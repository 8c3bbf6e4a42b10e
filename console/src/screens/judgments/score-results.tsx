// A score: the figures of each configuration, and the questions that differ most or are answered worst.
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { milliseconds } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { titleOf } from './judgment-calls.ts';
import type { JudgmentSet, QuestionResult, Score, ScoredQuestion } from './types.ts';

const SHOWN = 100;
const NAMES = ['A', 'B'];

interface ScoreResultsProps {
  readonly index: Index;
  readonly set: JudgmentSet;
  readonly score: Score;
}

interface FigureRow {
  readonly title: string;
  readonly values: readonly (number | null)[];
  readonly shown: (value: number | null) => string;
}

export function ScoreResults({ index, set, score }: ScoreResultsProps) {
  const { k, configurations } = score;
  const isCompared = configurations.length > 1;
  const row = (
    title: string,
    read: (figures: Score['configurations'][number]) => number | null,
    shown: FigureRow['shown'] = figure,
  ): FigureRow => ({ title, values: configurations.map(read), shown });
  const rows = [
    row(`nDCG at ${k}`, ({ ndcg }) => ndcg),
    row(`Recall at ${k}`, ({ recall }) => recall),
    row('MRR', ({ mrr }) => mrr),
    row('Results judged', ({ judged }) => judged, percent),
    row('Time of a search', (figures) => figures.milliseconds, milliseconds),
  ];
  return (
    <section class="part" aria-label="Result">
      <PartHead title="Result" />
      <Table
        rows={rows}
        keyOf={({ title }) => title}
        columns={[
          { title: 'Measure', cell: ({ title }) => title },
          ...configurations.map(
            (_, at): Column<FigureRow> => ({
              title: isCompared ? (NAMES[at] ?? '') : 'Value',
              kind: 'number',
              cell: ({ values, shown }) => shown(values[at] ?? null),
            }),
          ),
          isCompared && {
            title: 'Difference',
            kind: 'number',
            cell: ({ values: [one = null, other = null], shown }) =>
              one === null || other === null ? '–' : signed(other - one, shown),
          },
        ]}
      />
      <h3 class="below">{isCompared ? 'Questions that differ most' : 'Questions answered worst'}</h3>
      <QuestionTable index={index} set={set} score={score} />
    </section>
  );
}

function QuestionTable({ index, set, score: { questions, configurations } }: ScoreResultsProps) {
  const isCompared = configurations.length > 1;
  const rows = questions
    .toSorted((one, other) => (isCompared ? gap(other) - gap(one) : first(one) - first(other)))
    .slice(0, SHOWN);
  return (
    <Table
      rows={rows}
      keyOf={titleOf}
      columns={[
        {
          title: 'Question',
          kind: 'long',
          cell: (question) => <Found index={index} set={set} question={question} />,
        },
        ...configurations.map(
          (_, at): Column<ScoredQuestion> => ({
            title: isCompared ? `nDCG ${NAMES[at] ?? ''}` : 'nDCG',
            kind: 'number',
            cell: ({ results }) => figure(results[at]?.ndcg ?? null),
          }),
        ),
      ]}
    />
  );
}

interface FoundProps {
  readonly index: Index;
  readonly set: JudgmentSet;
  readonly question: ScoredQuestion;
}

function Found({ index, set, question }: FoundProps) {
  const { results } = question;
  return (
    <details>
      <summary class="wrapped">
        <bdi>{titleOf(question)}</bdi>
      </summary>
      <div class="bench">
        {results.map((result, at) => (
          <Results
            key={at}
            title={results.length > 1 ? (NAMES[at] ?? '') : 'Found'}
            {...{ index, set, result }}
          />
        ))}
      </div>
    </details>
  );
}

interface ResultsProps {
  readonly title: string;
  readonly index: Index;
  readonly set: JudgmentSet;
  readonly result: QuestionResult;
}

function Results({ title, index, set, result: { found } }: ResultsProps) {
  return (
    <div>
      <p class="quiet">{found.length === 0 ? `${title}: nothing` : title}</p>
      <ol>
        {found.map(({ id, grade }) => (
          <li key={id}>
            <a href={hrefOf(['indexes', index.name], { ns: set.namespace, id })}>
              <bdi>{id}</bdi>
            </a>{' '}
            <span class="quiet">{grade === null ? 'not judged' : `grade ${grade}`}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Questions without a relevant record come last. */
function first({ results: [result] }: ScoredQuestion): number {
  return result?.ndcg ?? 2;
}

function gap({ results: [one, other] }: ScoredQuestion): number {
  return Math.abs((one?.ndcg ?? 0) - (other?.ndcg ?? 0));
}

function figure(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

function percent(value: number | null): string {
  return value === null ? '–' : `${Math.round(100 * value)} %`;
}

function signed(difference: number, shown: FigureRow['shown']): string {
  return `${difference < 0 ? '−' : '+'}${shown(Math.abs(difference))}`;
}
