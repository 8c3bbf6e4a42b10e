// Exports of an index: made on the server in the background, and saved file by file.
import { useState } from 'preact/hooks';
import { callIndex, requestIndex } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { bytes, count, time } from '../../ui/format.ts';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { saveBlob } from '../../ui/save-file.ts';
import { isBusy, State } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { type Task, useTask } from '../../ui/task.ts';
import { isDocumentIndex } from '../index/index-kind.ts';

interface ExportJob {
  readonly id: string;
  readonly uri: string | null;
  readonly namespace: string | null;
  readonly format: string;
  readonly status: string;
  readonly createdAt: string;
  readonly percentComplete: number;
  readonly recordsExported: number;
  readonly bytesWritten: number;
  readonly error?: string;
}

interface Manifest {
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

const REFRESH_MS = 2_000;
const FORMATS = [
  { value: 'jsonl', text: 'JSON lines' },
  { value: 'parquet', text: 'Parquet' },
];

export function Export({ index }: { readonly index: Index }) {
  const [format, setFormat] = useState(isDocumentIndex(index) ? 'jsonl' : 'parquet');
  const task = useTask();
  const jobs = useResource(`exports ${index.name}`, async (signal) => {
    const { body } = await callIndex<{ readonly data?: readonly ExportJob[] }>(
      index.name,
      'GET',
      'bulk/exports',
      { signal },
    );
    return body.data ?? [];
  });
  useRefresh(jobs.refresh, REFRESH_MS, jobs.value?.some(({ status }) => isBusy(status)) ?? false);
  const start = () =>
    task.run(async () => {
      await callIndex(index.name, 'POST', 'bulk/exports', { body: { format } });
      jobs.reload();
    });
  const remove = (id: string) =>
    task.run(async () => {
      await callIndex(index.name, 'DELETE', `bulk/exports/${id}`);
      jobs.reload();
    });
  return (
    <section>
      <h2>Export</h2>
      <div class="condition">
        <Select label="Format" value={format} choices={FORMATS} onValue={setFormat} />
        <button type="button" class="field-action" disabled={task.isRunning} onClick={start}>
          Export the index
        </button>
      </div>
      <ErrorBox problem={task.problem} />
      <Shown of={jobs}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No exports yet.">The files of an export stay for seven days.</Empty>
          ) : (
            <Table
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Started', cell: ({ createdAt }) => time(createdAt) },
                { title: 'Format', cell: (job) => job.format },
                { title: 'Records', kind: 'number', cell: (job) => count(job.recordsExported) },
                { title: 'Size', kind: 'number', cell: (job) => bytes(job.bytesWritten) },
                { title: 'State', cell: (job) => <State name={job.status} />, note: (job) => job.error },
                {
                  title: 'Actions',
                  kind: 'actions',
                  cell: (job) => (
                    <span class="tools">
                      {job.status === 'Completed' && job.uri === null && may('data_plane::vectors::read') && (
                        <button
                          type="button"
                          class="small"
                          disabled={task.isRunning}
                          onClick={() => save(task, index.name, job.id)}
                        >
                          Save
                        </button>
                      )}
                      <button
                        type="button"
                        class="small"
                        disabled={task.isRunning}
                        onClick={() => remove(job.id)}
                      >
                        Delete
                      </button>
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

/** Saves each file of the export under its path. */
function save(task: Task, index: string, id: string): Promise<boolean> {
  return task.run(async (action) => {
    const path = `bulk/exports/${encodeURIComponent(id)}/files`;
    const { body } = await callIndex<Manifest>(index, 'GET', path, action);
    for (const { path: file } of body.files) {
      const response = await requestIndex(index, path, { query: { path: file }, ...action });
      saveBlob(`${index}-${file}`, await response.blob());
    }
  });
}
