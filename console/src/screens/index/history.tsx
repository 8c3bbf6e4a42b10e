// What changed in an index lately, the latest first, and the way back to before any of it.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { bytes, count, plural, time } from '../../ui/format.ts';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { isBusy, State } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useTask } from '../../ui/task.ts';
import { RecoverIndex } from './recover-index.tsx';

interface Change {
  readonly lsn: number;
  readonly undo_to_lsn: number;
  readonly time: string;
  readonly namespace: string;
  readonly kind: string;
  readonly cause: string;
  readonly record_count: number;
}

interface Undo {
  readonly state: string;
  readonly percent_complete: number;
  readonly namespace?: string;
  readonly records_restored: number;
  readonly records_removed: number;
  readonly error?: string;
}

interface Kept {
  readonly enabled: boolean;
  readonly from_time?: string;
  readonly bytes?: number;
  /** Of the latest undo. */
  readonly undo_state?: string;
}

interface Lately {
  readonly history: Kept;
  readonly changes: readonly Change[];
  readonly next?: number | undefined;
  /** Null where there was none. */
  readonly undo: Undo | null;
}

const CHANGES = 50;
const REFRESH_MS = 1_000;

const KINDS: Readonly<Record<string, string>> = {
  upsert: 'Upsert',
  update: 'Update',
  delete: 'Deletion',
  'create-namespace': 'New namespace',
  'delete-namespace': 'Deletion of the namespace',
};
const CAUSES: Readonly<Record<string, string>> = {
  expiry: 'expired',
  undo: 'undo',
  publish: 'a job',
  branch: 'a branch',
  merge: 'merge',
};

export function History({ index }: { readonly index: Index }) {
  return (
    <>
      <Changes index={index} />
      <RecoverIndex index={index} />
    </>
  );
}

function Changes({ index }: { readonly index: Index }) {
  const [before, setBefore] = useState<number>();
  const path = `indexes/${encodeURIComponent(index.name)}`;
  const mayRead = may('data_plane::vectors::read');
  const lately = useResource(mayRead ? `history ${path} ${before}` : '', (signal) =>
    readHistory(path, { before, signal }),
  );
  const task = useTask();
  const undo = lately.value?.undo ?? null;
  const isUndoing = undo !== null && isBusy(undo.state);
  useRefresh(lately.refresh, REFRESH_MS, isUndoing);
  if (!mayRead) return <Empty title="Your role does not read records." />;
  const goBack = ({ namespace, undo_to_lsn: to_lsn }: Change) =>
    task.run(async () => {
      await call('POST', `${path}/undo`, { body: { namespace, to_lsn } });
      setBefore(undefined);
      lately.reload();
    });
  return (
    <Shown of={lately}>
      {({ history, changes, next }) =>
        history.enabled ? (
          <>
            <p>
              Everything since {time(history.from_time)} can be undone. The history takes{' '}
              {bytes(history.bytes)}.
            </p>
            <ErrorBox problem={task.problem} />
            {undo !== null && <UndoState undo={undo} />}
            {changes.length === 0 ? (
              <Empty title="Nothing changed lately." />
            ) : (
              <ChangeTable
                index={index.name}
                changes={changes}
                isBusy={isUndoing || task.isRunning}
                onUndo={goBack}
              />
            )}
            <div class="tools below">
              {before !== undefined && (
                <button type="button" class="small" onClick={() => setBefore(undefined)}>
                  Latest changes
                </button>
              )}
              {next !== undefined && (
                <button type="button" class="small" onClick={() => setBefore(next)}>
                  Earlier changes
                </button>
              )}
            </div>
          </>
        ) : (
          <Empty title="This server keeps no history." />
        )
      }
    </Shown>
  );
}

function UndoState({ undo }: { readonly undo: Undo }) {
  const { state, namespace, percent_complete: percent, error } = undo;
  const what = namespace === undefined ? 'all namespaces' : namespace;
  return (
    <p role="status">
      <State name={state} /> Undo of <bdi>{what}</bdi>:{' '}
      {isBusy(state)
        ? `${Math.floor(percent)} %`
        : `${plural(undo.records_restored, 'record')} restored, ${count(undo.records_removed)} removed`}
      {error !== undefined && `: ${error}`}
    </p>
  );
}

interface ChangeTableProps {
  /** Its name. */
  readonly index: string;
  readonly changes: readonly Change[];
  readonly isBusy: boolean;
  readonly onUndo: (change: Change) => void;
}

function ChangeTable({ index, changes, isBusy: isWaiting, onUndo }: ChangeTableProps) {
  const columns: readonly (Column<Change> | false)[] = [
    { title: 'Time', cell: (change) => time(change.time) },
    { title: 'Namespace', kind: 'long', cell: ({ namespace }) => <bdi>{namespace}</bdi> },
    {
      title: 'Change',
      cell: ({ kind, cause }) =>
        `${KINDS[kind] ?? kind}${CAUSES[cause] === undefined ? '' : ` (${CAUSES[cause]})`}`,
    },
    { title: 'Records', kind: 'number', cell: (change) => count(change.record_count) },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (change) => (
        <>
          <a
            aria-label={`Records before this in ${change.namespace}, LSN ${change.lsn}`}
            href={hrefOf(['indexes', index], { ns: change.namespace, as_of: `${change.undo_to_lsn}` })}
          >
            Records before this
          </a>{' '}
          {may('data_plane::vectors::write') && (
            <RowAction
              action="Undo to before this"
              of={`in ${change.namespace}, LSN ${change.lsn}`}
              disabled={isWaiting}
              onClick={() => onUndo(change)}
            />
          )}
        </>
      ),
    },
  ];
  return (
    <Table
      rows={changes}
      columns={columns}
      keyOf={({ lsn, namespace, kind }) => `${lsn} ${namespace} ${kind}`}
    />
  );
}

async function readHistory(
  path: string,
  { before, signal }: { readonly before: number | undefined; readonly signal: AbortSignal },
): Promise<Lately> {
  const query = { limit: `${CHANGES}`, ...(before !== undefined && { before: `${before}` }) };
  const [history, { changes, next }] = await Promise.all([
    call<Lately['history']>('GET', `${path}/history`, { signal }),
    call<Pick<Lately, 'changes' | 'next'>>('GET', `${path}/history/changes`, { query, signal }),
  ]);
  const undo = history.undo_state === undefined ? null : await call<Undo>('GET', `${path}/undo`, { signal });
  return { history, changes, next, undo };
}
