// Imports that the server makes: of a file that is sent whole, and all others with their states.
import { useState } from 'preact/hooks';
import { callIndex, requestIndex } from '../../api/call.ts';
import type { Index } from '../../api/types.ts';
import { route } from '../../router.ts';
import { DropZone } from '../../ui/drop-zone.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { count, plural, time } from '../../ui/format.ts';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { saveBlob } from '../../ui/save-file.ts';
import { isBusy, State } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useTask } from '../../ui/task.ts';
import { NamespaceInput } from '../index/namespace-input.tsx';

interface ImportJob {
  readonly id: string;
  readonly uri: string;
  readonly status: string;
  readonly createdAt: string;
  readonly percentComplete: number;
  readonly recordsImported: number;
  readonly error?: string;
  readonly validationResult?: { readonly importErrors: number; readonly filesUnread?: number };
}

const REFRESH_MS = 2_000;
const ON_ERROR = [
  { value: 'continue', text: 'Leave them out' },
  { value: 'abort', text: 'Stop at the first' },
];

/** A completed import may lack the rest of a damaged file. */
function StateOf({ job }: { readonly job: ImportJob }) {
  const unread = job.validationResult?.filesUnread ?? 0;
  return (
    <>
      <State name={job.status} />
      {unread > 0 && <div>The rest of {plural(unread, 'file')} could not be read</div>}
    </>
  );
}

export function ServerImports({ index }: { readonly index: Index }) {
  const [namespace, setNamespace] = useState(route.value.values.ns ?? '__default__');
  const [columns, setColumns] = useState('');
  const [onError, setOnError] = useState('continue');
  const task = useTask();
  const jobs = useResource(`imports ${index.name}`, async (signal) => {
    const path = 'bulk/imports';
    const { body } = await callIndex<{ readonly data?: readonly ImportJob[] }>(index.name, 'GET', path, {
      signal,
    });
    return body.data ?? [];
  });
  useRefresh(jobs.refresh, REFRESH_MS, jobs.value?.some(({ status }) => isBusy(status)) ?? false);
  const send = (file: File) =>
    task.run(async () => {
      const pairs = columns.trim();
      const query = { namespace, onError, ...(pairs !== '' && { columns: pairs }) };
      const headers = { 'content-type': 'application/octet-stream' };
      await callIndex(index.name, 'POST', 'bulk/imports/upload', { body: file, query, headers });
      jobs.reload();
    });
  const cancel = (id: string) =>
    task.run(async () => {
      await callIndex(index.name, 'DELETE', `bulk/imports/${encodeURIComponent(id)}`);
      jobs.reload();
    });
  const saveErrors = (id: string) =>
    task.run(async () => {
      const response = await requestIndex(index.name, `bulk/imports/${encodeURIComponent(id)}/errors`);
      saveBlob(`${index.name}-refused-rows.jsonl`, await response.blob());
    });
  return (
    <section>
      <h2>Import on the server</h2>
      <div class="condition">
        <NamespaceInput index={index.name} value={namespace} onValue={setNamespace} />
        <Input
          label="Columns with other names"
          value={columns}
          placeholder="id=key,values=vector"
          onValue={setColumns}
        />
        <Select label="Wrong rows" value={onError} choices={ON_ERROR} onValue={setOnError} />
      </div>
      <DropZone
        label="Drop a file here to send it, or choose one"
        accept=".jsonl,.ndjson,.gz,.parquet"
        hint="JSON lines, also with gzip, or Parquet, up to 1 GiB, into a new namespace. All records appear at once, at the end."
        disabled={task.isRunning}
        onFiles={([file]) => file !== undefined && void send(file)}
      />
      <ErrorBox problem={task.problem} />
      <Shown of={jobs}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No imports yet.">The page may be left once a file is sent.</Empty>
          ) : (
            <Table
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Started', cell: ({ createdAt }) => time(createdAt) },
                { title: 'From', kind: 'long', cell: ({ uri }) => <bdi>{uri}</bdi> },
                { title: 'Done', kind: 'number', cell: (job) => `${Math.floor(job.percentComplete)} %` },
                { title: 'Records', kind: 'number', cell: (job) => count(job.recordsImported) },
                { title: 'State', cell: (job) => <StateOf job={job} />, note: (job) => job.error },
                {
                  title: 'Actions',
                  kind: 'actions',
                  cell: (job) => (
                    <span class="tools">
                      {(job.validationResult?.importErrors ?? 0) > 0 && (
                        <button
                          type="button"
                          class="small"
                          disabled={task.isRunning}
                          onClick={() => saveErrors(job.id)}
                        >
                          Save the refused rows
                        </button>
                      )}
                      {isBusy(job.status) && (
                        <button
                          type="button"
                          class="small"
                          disabled={task.isRunning}
                          onClick={() => cancel(job.id)}
                        >
                          Cancel
                        </button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Shown>
    </section>
  );
}
