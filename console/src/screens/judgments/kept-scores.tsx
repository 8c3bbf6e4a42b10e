// The earlier scores of a judgment set, newest first.
import { time } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';
import type { KeptFigures, KeptScore } from './types.ts';

const SHOWN = 20;

interface Row extends KeptFigures {
  readonly key: string;
  readonly at: string;
  readonly k: number;
}

export function KeptScores({ scores }: { readonly scores: readonly KeptScore[] }) {
  if (scores.length === 0) return null;
  const rows = scores.flatMap(({ scored_at: at, k, configurations }, score): readonly Row[] =>
    configurations.map((each, position) => ({ key: `${score} ${position}`, at, k, ...each })),
  );
  const number = (title: string, read: (row: Row) => number | null) => ({
    title,
    kind: 'number' as const,
    cell: (row: Row) => read(row)?.toFixed(3) ?? '–',
  });
  return (
    <details class="explain">
      <summary>Earlier scores</summary>
      <Table
        rows={rows.slice(0, SHOWN)}
        keyOf={({ key }) => key}
        columns={[
          { title: 'When', cell: ({ at }) => time(at) },
          {
            title: 'Configuration',
            kind: 'long',
            cell: ({ configuration }) => <code>{JSON.stringify(configuration)}</code>,
          },
          { title: 'Results', kind: 'number', cell: ({ k }) => k },
          number('nDCG', ({ ndcg }) => ndcg),
          number('Recall', ({ recall }) => recall),
          number('MRR', ({ mrr }) => mrr),
        ]}
      />
    </details>
  );
}
