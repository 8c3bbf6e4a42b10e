// The branches of an index: made, compared with their sources, merged and dropped.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { count, plural, time } from '../../ui/format.ts';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { isBusy, State } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type Task, useTask } from '../../ui/task.ts';
import { BranchDifferences } from './branch-differences.tsx';

export interface Branch {
  readonly name: string;
  readonly source: string;
  readonly created_at: string;
  readonly state: string;
  readonly record_count: number;
  readonly own_record_count: number;
  readonly changed_record_count: number;
  readonly changed_in_source_count: number;
}

interface Merge {
  readonly branch: string;
  readonly state: string;
  readonly percent_complete: number;
  readonly records_written: number;
  readonly records_deleted: number;
  readonly conflicts: number;
  readonly error?: string;
}

const REFRESH_MS = 1_000;
const SIDES = [
  { value: 'fail', text: 'Do not merge' },
  { value: 'branch', text: 'The branch wins' },
  { value: 'source', text: 'The source wins' },
];

export function Branches({ index }: { readonly index: Index }) {
  const path = `indexes/${encodeURIComponent(index.name)}/branches`;
  const mayRead = may('data_plane::vectors::read');
  const branches = useResource(mayRead ? path : '', (signal) =>
    call<{ readonly branches: readonly Branch[] }>('GET', path, { signal }),
  );
  const [compared, setCompared] = useState<Branch>();
  const [dropping, setDropping] = useState<Branch>();
  const [onConflict, setOnConflict] = useState('fail');
  const [merge, setMerge] = useState<Merge>();
  const task = useTask();
  // Apart from what the person starts, whose problem it would clear.
  const looking = useTask();
  const pathOf = ({ name }: Pick<Branch, 'name'>) => `${path}/${encodeURIComponent(name)}`;
  const lookAtMerge = async () => {
    if (merge === undefined) return;
    const now = await call<Merge>('GET', `${pathOf({ name: merge.branch })}/merge`);
    setMerge(now);
    if (isBusy(now.state)) return;
    setCompared(undefined);
    branches.reload();
  };
  useRefresh(() => void looking.run(lookAtMerge), REFRESH_MS, merge !== undefined && isBusy(merge.state));
  if (!mayRead) return <Empty title="Your role does not read records." />;
  const start = (branch: Branch) =>
    task.run(async () => {
      setMerge(await call<Merge>('POST', `${pathOf(branch)}/merge`, { body: { on_conflict: onConflict } }));
    });
  return (
    <>
      {may('data_plane::vectors::write') && (
        <CreateBranch path={path} task={task} onCreated={branches.reload} />
      )}
      <ErrorBox problem={task.problem} />
      <ErrorBox problem={looking.problem} />
      {merge !== undefined && <MergeState merge={merge} />}
      <Shown of={branches}>
        {({ branches: all }) =>
          all.length === 0 ? (
            <Empty title="No branches yet.">
              A branch has the records of a namespace at once, and can be changed apart.
            </Empty>
          ) : (
            <>
              {may('data_plane::vectors::write') && (
                <Select
                  label="Records that both sides have changed"
                  value={onConflict}
                  choices={SIDES}
                  onValue={setOnConflict}
                />
              )}
              <BranchTable
                index={index.name}
                branches={all}
                isBusy={task.isRunning || (merge !== undefined && isBusy(merge.state))}
                actions={{ onCompare: setCompared, onMerge: start, onDrop: setDropping }}
              />
            </>
          )
        }
      </Shown>
      {compared !== undefined && (
        <BranchDifferences key={compared.name} path={pathOf(compared)} branch={compared} />
      )}
      {dropping !== undefined && (
        <Confirm
          title="Drop the branch"
          name={dropping.name}
          action="Drop"
          onConfirm={async () => {
            await call('DELETE', pathOf(dropping));
            setCompared(undefined);
            branches.reload();
          }}
          onClose={() => setDropping(undefined)}
        >
          This deletes the branch with {plural(dropping.changed_record_count, 'change')} that are not merged.
          History does not bring it back.
        </Confirm>
      )}
    </>
  );
}

interface CreateBranchProps {
  readonly path: string;
  readonly task: Task;
  readonly onCreated: () => void;
}

function CreateBranch({ path, task, onCreated }: CreateBranchProps) {
  const [source, setSource] = useState('__default__');
  const [name, setName] = useState('');
  const create = async () => {
    const isDone = await task.run(async () => void (await call('POST', path, { body: { source, name } })));
    if (!isDone) return;
    setName('');
    onCreated();
  };
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Input
        label="Namespace"
        value={source}
        onValue={setSource}
        required
        autocomplete="off"
        spellcheck={false}
      />
      <Input
        label="Name of the branch"
        value={name}
        onValue={setName}
        required
        autocomplete="off"
        spellcheck={false}
      />
      <button type="submit" disabled={task.isRunning}>
        Create a branch
      </button>
    </form>
  );
}

function MergeState({ merge }: { readonly merge: Merge }) {
  const { state, branch, percent_complete: percent, error } = merge;
  return (
    <p role="status">
      <State name={state} /> Merge of <bdi>{branch}</bdi>:{' '}
      {isBusy(state)
        ? `${Math.floor(percent)} %`
        : `${plural(merge.records_written, 'record')} written, ${count(merge.records_deleted)} deleted, ` +
          `${count(merge.conflicts)} changed by both`}
      {error !== undefined && `: ${error}`}
    </p>
  );
}

interface BranchTableProps {
  /** Its name. */
  readonly index: string;
  readonly branches: readonly Branch[];
  readonly isBusy: boolean;
  readonly actions: Readonly<Record<'onCompare' | 'onMerge' | 'onDrop', (branch: Branch) => void>>;
}

function BranchTable({ index, branches, isBusy: isWaiting, actions }: BranchTableProps) {
  const mayWrite = may('data_plane::vectors::write');
  const columns: readonly (Column<Branch> | false)[] = [
    {
      title: 'Name',
      kind: 'long',
      cell: ({ name }) => (
        <a href={hrefOf(['indexes', index], { ns: name })}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    { title: 'Of', kind: 'long', cell: ({ source }) => <bdi>{source}</bdi> },
    { title: 'Created', cell: (branch) => time(branch.created_at) },
    { title: 'Records', kind: 'number', cell: (branch) => count(branch.record_count) },
    { title: 'Its own', kind: 'number', cell: (branch) => count(branch.own_record_count) },
    { title: 'Changed', kind: 'number', cell: (branch) => count(branch.changed_record_count) },
    { title: 'In the source', kind: 'number', cell: (branch) => count(branch.changed_in_source_count) },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (branch) => (
        <>
          <RowAction action="Differences" of={branch.name} onClick={() => actions.onCompare(branch)} />{' '}
          {mayWrite && (
            <>
              <RowAction
                action="Merge"
                of={branch.name}
                disabled={isWaiting || branch.state === 'detached'}
                onClick={() => actions.onMerge(branch)}
              />{' '}
              <RowAction
                action="Drop"
                of={branch.name}
                disabled={isWaiting}
                onClick={() => actions.onDrop(branch)}
              />
            </>
          )}
        </>
      ),
    },
  ];
  return <Table rows={branches} columns={columns} keyOf={({ name }) => name} />;
}
