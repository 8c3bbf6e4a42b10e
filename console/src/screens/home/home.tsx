// The first page: indexes with their figures, running jobs and warnings; on an empty project, ways to begin.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may, project } from '../../api/session.ts';
import type { IndexOverview, JobOverview, Overview } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { Shown } from '../../ui/feedback.tsx';
import { bytes, count, milliseconds, plural, time } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { Beginnings } from './beginnings.tsx';
import { CreateIndex } from './create-index.tsx';

const REFRESH_MS = 5_000;

export function Home() {
  const [isCreating, setCreating] = useState(false);
  const overview = useResource(`overview ${project.value?.id}`, (signal) =>
    call<Overview>('GET', 'console/overview', { signal }),
  );
  const { reload } = overview;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <div class="page-head">
        <h1>Indexes</h1>
        {may('control_plane::indexes::create') && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create an index
          </button>
        )}
      </div>
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

function IndexTable({ indexes }: { readonly indexes: readonly IndexOverview[] }) {
  const records = indexes.reduce((sum, { record_count: each }) => sum + (each ?? 0), 0);
  const disk = indexes.reduce((sum, { disk_bytes: each }) => sum + (each ?? 0), 0);
  return (
    <>
      <p class="quiet summary">
        {plural(indexes.length, 'index', 'indexes')}, {plural(records, 'record')}, {bytes(disk)} on disk
      </p>
      <div class="scroll-x">
        <table class="cards">
          <thead>
            <tr>
              <th>Name</th>
              <th>Kind</th>
              <th class="number">Records</th>
              <th class="number">Disk</th>
              <th class="number">Memory</th>
              <th class="number">Queries</th>
              <th class="number">p50 / p99</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {indexes.map((index) => (
              <IndexRow key={index.name} index={index} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function IndexRow({ index }: { readonly index: IndexOverview }) {
  const { name, queries } = index;
  const latency =
    queries.count === 0 ? '–' : `${milliseconds(queries.p50_ms)} / ${milliseconds(queries.p99_ms)}`;
  return (
    <tr>
      <td data-label="Name">
        <a href={hrefOf(['indexes', name])}>{name}</a>
      </td>
      <td data-label="Kind">{kindOf(index)}</td>
      <td data-label="Records" class="number">
        {count(index.record_count)}
      </td>
      <td data-label="Disk" class="number">
        {bytes(index.disk_bytes)}
      </td>
      <td data-label="Memory" class="number">
        {bytes(index.memory_bytes)}
      </td>
      <td data-label="Queries" class="number" title={`${count(queries.errors)} refused or failed`}>
        {count(queries.count)}
      </td>
      <td data-label="p50 / p99" class="number" title="Upper bounds, since the start of the server">
        {latency}
      </td>
      <td data-label="State">
        <span class={`state ${index.state === 'Ready' ? 'good' : 'busy'}`}>{index.state}</span>
      </td>
    </tr>
  );
}

function kindOf({ kind, vector_type, dimension, metric, model }: IndexOverview): string {
  if (kind === 'documents') return 'documents';
  const shape = vector_type === 'sparse' ? 'sparse' : `${dimension} dim, ${metric}`;
  return model === null ? shape : `${shape}, ${model}`;
}

function Jobs({ jobs }: { readonly jobs: readonly JobOverview[] }) {
  return (
    <section>
      <h2>Jobs</h2>
      <div class="scroll-x">
        <table class="cards">
          <thead>
            <tr>
              <th>Job</th>
              <th>Index</th>
              <th>State</th>
              <th>Progress</th>
              <th>Since</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <tr key={job.id}>
                <td data-label="Job">{job.kind}</td>
                <td data-label="Index">{job.index_name ?? '–'}</td>
                <td data-label="State">{job.state}</td>
                <td data-label="Progress">
                  <progress max={100} value={job.percent_complete} aria-label="Progress" />{' '}
                  {Math.floor(job.percent_complete)} %
                </td>
                <td data-label="Since">{time(job.created_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
