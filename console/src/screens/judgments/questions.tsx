// The questions of a judgment set, each a link to its search, where its results are judged.
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { count } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';
import { titleOf } from './judgment-calls.ts';
import type { JudgedQuestion, JudgmentSet } from './types.ts';

const RELEVANT_GRADE_MIN = 1;

export function Questions({ index, set }: { readonly index: Index; readonly set: JudgmentSet }) {
  if (set.questions.length === 0) return null;
  return (
    <section class="part" aria-label="Questions">
      <h3 class="below">Questions</h3>
      <Table
        rows={set.questions}
        keyOf={(question) => JSON.stringify({ ...question, judgments: [] })}
        columns={[
          {
            title: 'Question',
            kind: 'long',
            cell: (question) => (
              <a href={searchOf(index, set, question)}>
                <bdi>{titleOf(question)}</bdi>
              </a>
            ),
          },
          { title: 'Judged', kind: 'number', cell: ({ judgments }) => count(judgments.length) },
          {
            title: 'Relevant',
            kind: 'number',
            cell: ({ judgments }) =>
              count(judgments.filter(({ grade }) => grade >= RELEVANT_GRADE_MIN).length),
          },
        ]}
      />
    </section>
  );
}

function searchOf(index: Index, set: JudgmentSet, { text, id, vector = [], filter }: JudgedQuestion): string {
  const mode = text === undefined ? (id === undefined ? 'vector' : 'id') : 'text';
  return hrefOf(['search'], {
    ...{ index: index.name, ns: set.namespace, set: set.id, mode },
    [mode]: text ?? id ?? vector.join(', '),
    filter: filter === undefined ? '' : JSON.stringify(filter),
  });
}
