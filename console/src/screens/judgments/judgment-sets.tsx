// The judgment sets of an index, or one of them.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf, route, setValues } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { count, plural, time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { pathOf, useSets } from './judgment-calls.ts';
import { SetForm } from './set-form.tsx';
import { SetView } from './set-view.tsx';
import type { SetSummary } from './types.ts';

export function JudgmentSets({ index }: { readonly index: Index }) {
  const { set = '' } = route.value.values;
  if (!may('data_plane::vectors::read')) return <Empty title="Your role does not read judgments." />;
  return set === '' ? <SetList index={index} /> : <SetView key={set} index={index} id={set} />;
}

function SetList({ index: { name: index } }: { readonly index: Index }) {
  const sets = useSets(index);
  const [isMaking, setMaking] = useState(false);
  const [deleting, setDeleting] = useState<SetSummary>();
  const mayJudge = may('data_plane::vectors::write');
  const columns: readonly (Column<SetSummary> | false)[] = [
    {
      title: 'Name',
      kind: 'long',
      cell: ({ id, name }) => (
        <a href={hrefOf(['indexes', index], { tab: 'judgments', set: id })}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    { title: 'Namespace', kind: 'long', cell: ({ namespace }) => <bdi>{namespace}</bdi> },
    { title: 'Questions', kind: 'number', cell: (set) => count(set.question_count) },
    { title: 'Judgments', kind: 'number', cell: (set) => count(set.judgment_count) },
    { title: 'Changed', cell: (set) => time(set.updated_at) },
    mayJudge && {
      title: 'Actions',
      kind: 'actions',
      cell: (set) => <RowAction action="Delete" of={set.name} onClick={() => setDeleting(set)} />,
    },
  ];
  return (
    <>
      <PartHead title="Judgment sets">
        {mayJudge && (
          <button type="button" onClick={() => setMaking(true)}>
            New judgment set
          </button>
        )}
      </PartHead>
      <Shown of={sets}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No judgment sets yet.">
              A set holds questions with results that people have judged, and measures searches by them.
              Search for something and judge the results, or bring a file of questions.
            </Empty>
          ) : (
            <Table rows={all} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </Shown>
      {isMaking && (
        <SetForm
          index={index}
          namespace="__default__"
          onClose={() => setMaking(false)}
          onMade={({ id }) => setValues({ set: id }, true)}
        />
      )}
      {deleting !== undefined && (
        <Confirm
          title="Delete the judgment set"
          name={deleting.name}
          action="Delete"
          onConfirm={async () => {
            await callIndex(index, 'DELETE', pathOf(deleting.id));
            sets.reload();
          }}
          onClose={() => setDeleting(undefined)}
        >
          This deletes its {plural(deleting.judgment_count, 'judgment')} and scores and cannot be undone.
        </Confirm>
      )}
    </>
  );
}
