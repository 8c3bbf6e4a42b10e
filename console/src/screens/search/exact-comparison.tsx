// How much of the exact results a search finds, by several settings, and what each costs.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import type { Answers } from '../../api/generated/answers.ts';
import type { Index } from '../../api/types.ts';
import { Shown } from '../../ui/feedback.tsx';
import { count, milliseconds } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { Table } from '../../ui/table.tsx';
import { type Configuration, comparedQuery, type Target, TOP_K_DEFAULT } from './search-request.ts';

const SETTINGS = [
  { title: 'As usual', configuration: {} },
  { title: 'Recall 0.9', configuration: { recall: 0.9 } },
  { title: 'Recall 0.99', configuration: { recall: 0.99 } },
];
const TOP_K_MAX = 100;

interface ExactComparisonProps {
  readonly index: Index;
  readonly target: Target;
  readonly configuration: Configuration;
}

export function ExactComparison(props: ExactComparisonProps) {
  const [isOpen, setOpen] = useState(false);
  if (comparedQuery(props.target) === null) return null;
  return (
    <details class="explain" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Compare with the exact results</summary>
      {isOpen && <Comparisons {...props} />}
    </details>
  );
}

function Comparisons({ index, target, configuration: { topK, filter } }: ExactComparisonProps) {
  const body = {
    queries: [comparedQuery(target)],
    configurations: SETTINGS.map(({ configuration }) => configuration),
    top_k: Math.min(TOP_K_MAX, Number(topK) || TOP_K_DEFAULT),
    ...(filter === '' ? {} : { filter: JSON.parse(filter) }),
  };
  const compared = useResource(
    `compare ${index.name} ${target.namespace} ${JSON.stringify(body)}`,
    (signal) =>
      callIndex<Answers['compare_searches']>(
        index.name,
        'POST',
        `records/namespaces/${encodeURIComponent(target.namespace)}/compare`,
        { body, signal },
      ),
  );
  return (
    <Shown of={compared}>
      {({ body: { queries } }) => (
        <Table
          rows={queries.flatMap(({ exact, results }) => [
            ...results.map((result, at) => ({ title: SETTINGS[at]?.title ?? '', ...result })),
            { title: 'Exactly', ...exact },
          ])}
          keyOf={({ title }) => title}
          columns={[
            { title: 'Search', cell: ({ title }) => title },
            { title: 'Found', cell: ({ recall }) => `${Math.round(1_000 * recall) / 10} %`, kind: 'number' },
            { title: 'Time', cell: (row) => milliseconds(row.milliseconds), kind: 'number' },
            { title: 'Distances', cell: ({ distances }) => count(Math.round(distances)), kind: 'number' },
          ]}
        />
      )}
    </Shown>
  );
}
