// The records that are not the same in a branch and in its source, page by page.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { count } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { type Column, Table } from '../../ui/table.tsx';

interface Difference {
  readonly id: string;
  readonly in_branch?: string;
  readonly in_source?: string;
}

type SideCounts = Readonly<Record<'added' | 'changed' | 'deleted', number>>;

interface Differences {
  readonly differences: readonly Difference[];
  readonly counts?: {
    readonly in_branch: SideCounts;
    readonly in_source: SideCounts;
    readonly conflicts: number;
  };
  readonly next?: string;
}

const COLUMNS: readonly Column<Difference>[] = [
  { title: 'Record', kind: 'long', cell: ({ id }) => <bdi>{id}</bdi> },
  { title: 'In the branch', cell: (difference) => difference.in_branch ?? '' },
  { title: 'In the source', cell: (difference) => difference.in_source ?? '' },
];

interface BranchDifferencesProps {
  /** Of the branch. */
  readonly path: string;
  readonly branch: { readonly name: string; readonly source: string };
}

export function BranchDifferences({ path, branch }: BranchDifferencesProps) {
  const [after, setAfter] = useState<string>();
  const page = useResource(`differences ${path} ${after}`, (signal) =>
    call<Differences>('GET', `${path}/differences`, {
      query: { counts: 'true', ...(after !== undefined && { after }) },
      signal,
    }),
  );
  return (
    <section>
      <h2>
        <bdi>{branch.name}</bdi> beside <bdi>{branch.source}</bdi>
      </h2>
      <Shown of={page}>
        {({ differences, counts, next }) => (
          <>
            {counts !== undefined && (
              <p>
                In the branch {told(counts.in_branch)}; in the source {told(counts.in_source)};{' '}
                {count(counts.conflicts)} changed by both.
              </p>
            )}
            {differences.length === 0 && next === undefined ? (
              <Empty title="Both have the same records." />
            ) : (
              <Table rows={differences} columns={COLUMNS} keyOf={({ id }) => id} hasCards={false} />
            )}
            <div class="tools below">
              {after !== undefined && (
                <button type="button" class="small" onClick={() => setAfter(undefined)}>
                  First differences
                </button>
              )}
              {next !== undefined && (
                <button type="button" class="small" onClick={() => setAfter(next)}>
                  More differences
                </button>
              )}
            </div>
          </>
        )}
      </Shown>
    </section>
  );
}

function told({ added, changed, deleted }: SideCounts): string {
  return `${count(added)} added, ${count(changed)} changed, ${count(deleted)} deleted`;
}
