// The first page: indexes with their figures, running jobs and warnings; on an empty project, ways to begin.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may, project } from '../../api/session.ts';
import type { IndexOverview, JobOverview, Overview } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { bytes, count, milliseconds, plural, time } from '../../ui/format.ts';
import { LongList } from '../../ui/long-list.tsx';
import { PageHead } from '../../ui/page.tsx';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { State } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Beginnings } from './beginnings.tsx';
import { CreateIndex } from './create-index.tsx';

const REFRESH_MS = 5_000;

export function Home() {
  const [isCreating, setCreating] = useState(false);
  const mayList = may('control_plane::indexes::list');
  const overview = useResource(mayList ? `overview ${project.value?.id}` : '', (signal) =>
    call<Overview>('GET', 'console/overview', { signal }),
  );
  const { reload, refresh } = overview;
  useRefresh(refresh, REFRESH_MS, mayList);
  if (!mayList) {
    return <Empty title="Your role does not list indexes.">Open one by its address, or another page.</Empty>;
  }
  return (
    <>
      <PageHead title="Indexes">
        {may('control_plane::indexes::create') && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create an index
          </button>
        )}
      </PageHead>
      <Shown of={overview}>
        {({ indexes, jobs, warnings }) => (
          <>
            {warnings.map((warning) => (
              <Warning key={warning} text={warning} />
            ))}
            {indexes.length === 0 ? <Beginnings onMade={reload} /> : <IndexTable indexes={indexes} />}
            {jobs.length > 0 && <Jobs jobs={jobs} />}
          </>
        )}
      </Shown>
      {isCreating && <CreateIndex onClose={() => setCreating(false)} onCreated={reload} />}
    </>
  );
}

/** Long warnings show their first sentence, and the rest on demand. */
function Warning({ text }: { readonly text: string }) {
  const [, first = text, rest = ''] = /^(.{40,}?\.) (.+)$/s.exec(text) ?? [];
  if (rest === '') return <p class="warning">{text}</p>;
  return (
    <details class="warning">
      <summary>{first}</summary>
      <p>{rest}</p>
    </details>
  );
}

const INDEX_COLUMNS: readonly Column<IndexOverview>[] = [
  { title: 'Name', cell: ({ name }) => <a href={hrefOf(['indexes', name])}>{name}</a> },
  { title: 'Kind', cell: kindOf },
  { title: 'Records', kind: 'number', cell: (index) => count(index.record_count) },
  { title: 'Disk', kind: 'number', cell: (index) => bytes(index.disk_bytes) },
  { title: 'Memory', kind: 'number', cell: (index) => bytes(index.memory_bytes) },
  {
    title: 'Queries',
    kind: 'number',
    cell: ({ queries }) => count(queries.count),
    note: ({ queries }) => `${count(queries.errors)} refused or failed`,
  },
  {
    title: 'p50 / p99',
    kind: 'number',
    cell: latencyOf,
    note: () => 'Upper bounds, since the start of the server',
  },
  {
    title: 'Recall',
    kind: 'number',
    cell: recallOf,
    note: () => 'As audits of recent searches show it, and as these searches promise or else expect it',
  },
  { title: 'State', cell: ({ state }) => <State name={state} /> },
];

function IndexTable({ indexes }: { readonly indexes: readonly IndexOverview[] }) {
  const records = indexes.reduce((sum, { record_count: each }) => sum + (each ?? 0), 0);
  const disk = indexes.reduce((sum, { disk_bytes: each }) => sum + (each ?? 0), 0);
  return (
    <>
      <p class="quiet summary">
        {plural(indexes.length, 'index', 'indexes')}, {plural(records, 'record')}, {bytes(disk)} on disk
      </p>
      <LongList rows={indexes} nameOf={({ name }) => name} noun={['index', 'indexes']}>
        {(shown) => <Table rows={shown} columns={INDEX_COLUMNS} keyOf={({ name }) => name} />}
      </LongList>
    </>
  );
}

function latencyOf({ queries }: IndexOverview): string {
  return queries.count === 0 ? '–' : `${milliseconds(queries.p50_ms)} / ${milliseconds(queries.p99_ms)}`;
}

/** Audited, and promised or else expected. */
function recallOf({
  queries: { audited_recall: audited, expected_recall: expected, promised_recall: promised },
}: IndexOverview): string {
  return expected === null ? '–' : `${percent(audited)} of ${percent(promised ?? expected)}`;
}

function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)} %`;
}

function kindOf({ kind, vector_type, dimension, metric, model }: IndexOverview): string {
  if (kind === 'documents') return 'documents';
  const shape = vector_type === 'sparse' ? 'sparse' : `${dimension} dim, ${metric}`;
  return model === null ? shape : `${shape}, ${model}`;
}

const JOB_COLUMNS: readonly Column<JobOverview>[] = [
  { title: 'Job', cell: ({ kind }) => kind },
  { title: 'Index', cell: (job) => job.index_name ?? '–' },
  { title: 'State', cell: ({ state }) => <State name={state} /> },
  {
    title: 'Progress',
    cell: ({ percent_complete: percent }) => (
      <span>
        <progress max={100} value={percent} aria-label="Progress" /> {Math.floor(percent)} %
      </span>
    ),
  },
  { title: 'Since', cell: (job) => time(job.created_at) },
];

function Jobs({ jobs }: { readonly jobs: readonly JobOverview[] }) {
  return (
    <section>
      <h2>Jobs</h2>
      <Table rows={jobs} columns={JOB_COLUMNS} keyOf={({ id }) => id} />
    </section>
  );
}
