// All metrics and how a reading provides them. The first group has the names of the public service, so
// that its dashboards work; the others are this service's own. Each is explained in docs/reference/metrics.md.
import type { Index } from '../../domain/index-model.ts';
import type { MemoryFigures, OpenIndexFigures, ThreadMetrics } from '../../engine/port/vector-store.ts';
import { indexFamilies, type LabelledReading, ofEngine } from './index-families.ts';
import { LATENCY_BOUNDS } from './latency-histogram.ts';
import {
  counter,
  type Family,
  gauge,
  histogramSamples,
  type Labels,
  one,
  type Sample,
} from './prometheus-text.ts';
import type { MetricsReading } from './read-metrics.ts';
import { OPERATIONS, type OperationMeter } from './request-meter.ts';

const MILLISECONDS_PER_SECOND = 1_000;
const PUBLIC_OPERATIONS = OPERATIONS.filter((operation) => operation !== 'other');
const UNUSED: Pick<OperationMeter, 'count' | 'milliseconds'> = { count: 0, milliseconds: 0 };

/** Measurements of the process itself. */
export interface ProcessDetails {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
  /** Since 1970. */
  readonly startedAtSeconds: number;
}

export function readProcess(): ProcessDetails {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (userCPUTime + systemCPUTime) / 1_000_000,
    startedAtSeconds: performance.timeOrigin / MILLISECONDS_PER_SECOND,
  };
}

export function metricFamilies(reading: MetricsReading, fields: ProcessDetails): readonly Family[] {
  const { threads, files, jobs, toolCalls, wrongCredentials, signIns, isOfAllProjects, quotaRefusals } =
    reading;
  const projectLabel = (projectId: string): Labels => (isOfAllProjects ? { project_id: projectId } : {});
  const indexes = reading.indexes.map((each) => ({
    ...each,
    labels: { ...labelsOf(each.index), ...projectLabel(each.index.projectId) },
  }));
  return [
    ...publicFamilies(indexes),
    ...requestFamilies(indexes),
    ...indexFamilies(indexes),
    gauge(
      'pinyon_backup_damaged',
      '1 for a backup or collection that was found damaged in the background.',
      reading.damagedArchives.map(({ archive: { id, source, projectId } }) => ({
        labels: { backup_id: id, index_name: source.name, ...projectLabel(projectId) },
        value: 1,
      })),
    ),
    ...threadFamilies(threads),
    ...openFamilies(reading.open),
    ...memoryFamilies(reading.memory),
    gauge(
      'pinyon_assistant_files',
      'Files of the assistant in this state.',
      files.map(({ projectId, assistantName, state, files: value }) => ({
        labels: { assistant_name: assistantName, status: state, ...projectLabel(projectId) },
        value,
      })),
    ),
    gauge(
      'pinyon_jobs',
      'Jobs of this kind in this state.',
      jobs.map(({ projectId, kind, state, jobs: value }) => ({
        labels: { kind, status: state, ...projectLabel(projectId) },
        value,
      })),
    ),
    counter(
      'pinyon_job_failures_total',
      'Jobs of this kind that have failed for good since the start.',
      reading.jobFailures.map(({ kind, failures: value }) => ({ labels: { kind }, value })),
    ),
    counter(
      'pinyon_mcp_calls_total',
      'Calls of the MCP tool, by outcome: ok, refused (a mistake or a missing right of the caller) or failed.',
      toolCalls.map(({ projectId, tool, outcome, calls: value }) => ({
        labels: { tool, outcome, ...projectLabel(projectId) },
        value,
      })),
    ),
    counter(
      'pinyon_mcp_call_seconds_total',
      'Time taken by these calls.',
      toolCalls.map(({ projectId, tool, outcome, seconds: value }) => ({
        labels: { tool, outcome, ...projectLabel(projectId) },
        value,
      })),
    ),
    counter(
      'pinyon_quota_refusals_total',
      'Requests that a quota of their project or key refused, by quota.',
      quotaRefusals.map(({ projectId, name, refusals: value }) => ({
        labels: { quota: name, ...projectLabel(projectId) },
        value,
      })),
    ),
    counter('pinyon_wrong_credentials_total', 'Requests with wrong credentials, by how they were answered.', [
      { labels: { answer: 'refused' }, value: wrongCredentials.refused },
      { labels: { answer: 'backed_off' }, value: wrongCredentials.backedOff },
    ]),
    counter('pinyon_provider_sign_ins_total', 'Sign-ins at the OpenID provider, by how they ended.', [
      { labels: { outcome: 'signed_in' }, value: signIns.signedIn },
      { labels: { outcome: 'refused' }, value: signIns.refused },
      { labels: { outcome: 'unavailable' }, value: signIns.unavailable },
    ]),
    gauge('process_resident_memory_bytes', 'Memory of the process.', [one(fields.residentBytes)]),
    counter('process_cpu_seconds_total', 'Processor time of the process.', [one(fields.cpuSeconds)]),
    gauge('process_start_time_seconds', 'When the process started.', [one(fields.startedAtSeconds)]),
  ];
}

function publicFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  return [
    gauge(
      'pinecone_db_record_total',
      'Records in the index.',
      ofEngine(indexes, (fields) => fields.records ?? undefined),
    ),
    gauge(
      'pinecone_db_storage_size_bytes',
      'Size of the index on disk.',
      ofEngine(indexes, (fields) => fields.bytesOnDisk),
    ),
    ...PUBLIC_OPERATIONS.flatMap((operation) => {
      const used = (take: (meter: typeof UNUSED) => number) =>
        indexes.map(({ labels, requests }) => ({ labels, value: take(requests.get(operation) ?? UNUSED) }));
      return [
        counter(
          `pinecone_db_op_${operation}_count`,
          `Requests to ${operation}.`,
          used(({ count }) => count),
        ),
        counter(
          `pinecone_db_op_${operation}_duration_sum`,
          `Time taken by requests to ${operation}, in milliseconds.`,
          used(({ milliseconds }) => milliseconds),
        ),
      ];
    }),
  ];
}

function requestFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const meters = indexes.flatMap(({ labels, requests }) =>
    [...requests].map(([operation, meter]) => ({ labels: { ...labels, operation }, meter })),
  );
  const errors = meters.flatMap(({ labels, meter }) =>
    [...meter.errors].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
  );
  const overloads = indexes.map(({ labels, requests }) => ({
    labels,
    value: [...requests.values()].reduce((sum, meter) => sum + meter.overloads, 0),
  }));
  const latencies = meters.flatMap(({ labels, meter }) =>
    histogramSamples(labels, {
      bounds: LATENCY_BOUNDS,
      counts: meter.buckets,
      sum: meter.milliseconds / MILLISECONDS_PER_SECOND,
    }),
  );
  return [
    {
      name: 'pinyon_request_duration_seconds',
      type: 'histogram',
      help: 'Time from a request being read to its answer being ready, waiting in queues included.',
      samples: latencies,
    },
    counter(
      'pinyon_request_engine_seconds_total',
      'The part of the time in which the engine worked on requests.',
      meters.map(({ labels, meter }) => ({ labels, value: meter.engineMs / MILLISECONDS_PER_SECOND })),
    ),
    counter(
      'pinyon_request_model_seconds_total',
      'The part of the time in which models embedded and reranked for requests.',
      meters.map(({ labels, meter }) => ({ labels, value: meter.modelMs / MILLISECONDS_PER_SECOND })),
    ),
    counter(
      'pinyon_request_queue_seconds_total',
      'The part of the time in which requests waited for the engine, or had their texts read for models.',
      meters.map(({ labels, meter }) => ({
        labels,
        value: Math.max(0, meter.milliseconds - meter.engineMs - meter.modelMs) / MILLISECONDS_PER_SECOND,
      })),
    ),
    ...RECALLS.map(([name, help, take]) =>
      gauge(
        name,
        help,
        meters.flatMap(({ labels: { operation: _, ...labels }, meter }) => {
          const value = take(meter);
          return value === null ? [] : [{ labels, value }];
        }),
      ),
    ),
    counter('pinyon_request_errors_total', 'Requests answered with a status of 400 or above.', errors),
    counter(
      'pinyon_overloads_total',
      'Requests refused with 429 because queues or the memory for requests were full.',
      overloads,
    ),
  ];
}

const RECALLS: readonly (readonly [string, string, (meter: OperationMeter) => number | null])[] = [
  [
    'pinyon_expected_recall',
    'Share of the true best to expect among the results of recent searches.',
    ({ expectedRecall }) => expectedRecall,
  ],
  [
    'pinyon_audited_recall',
    'The share that audits of such searches have shown lately.',
    ({ auditedRecall }) => auditedRecall?.share ?? null,
  ],
  [
    'pinyon_audited_recall_low',
    'The lower bound of the 95 % interval of that share.',
    ({ auditedRecall }) => auditedRecall?.low ?? null,
  ],
  [
    'pinyon_audited_recall_high',
    'The upper bound of the 95 % interval of that share.',
    ({ auditedRecall }) => auditedRecall?.high ?? null,
  ],
  [
    'pinyon_promised_recall',
    'The recall that the audited searches promised, by their requests or their index.',
    ({ promisedRecall }) => promisedRecall,
  ],
];

function threadFamilies(threads: readonly ThreadMetrics[]): readonly Family[] {
  const samples = (take: (thread: ThreadMetrics) => number): readonly Sample[] =>
    threads.map((thread) => ({
      labels: { kind: thread.kind, thread: String(thread.number) },
      value: take(thread),
    }));
  return [
    gauge(
      'pinyon_thread_queue_length',
      'Requests sent to an engine thread and not answered yet.',
      samples(({ queued }) => queued),
    ),
    gauge(
      'pinyon_thread_oldest_request_seconds',
      'How long ago the oldest request came that an engine thread has not answered; updates and deletes by filter count until they begin.',
      samples(({ oldestMs }) => oldestMs / MILLISECONDS_PER_SECOND),
    ),
    counter(
      'pinyon_thread_restarts_total',
      'Restarts of an engine thread after its death.',
      samples(({ restarts }) => restarts),
    ),
  ];
}

function openFamilies(figures: OpenIndexFigures | null): readonly Family[] {
  if (figures === null) return [];
  return [
    gauge('pinyon_indexes_open', 'Indexes whose files are open.', [one(figures.open)]),
    counter('pinyon_index_openings_total', 'How often an index was opened.', [one(figures.openings)]),
    counter('pinyon_index_closings_total', 'How often an index was closed.', [one(figures.closings)]),
  ];
}

function memoryFamilies(figures: MemoryFigures | null): readonly Family[] {
  if (figures === null) return [];
  return [
    gauge('pinyon_memory_limit_bytes', 'Memory that all indexes may take for searches.', [
      one(figures.bytesMax),
    ]),
    gauge('pinyon_memory_used_bytes', 'What they have taken of it.', [one(figures.bytesUsed)]),
  ];
}

/** The labels of the public service. Pod-based and byoc indexes have an environment instead of a cloud and region. */
export function labelsOf({ name, deployment }: Index): Labels {
  const place =
    deployment.kind === 'serverless'
      ? { cloud: deployment.cloud, region: deployment.region }
      : { cloud: '', region: deployment.environment };
  return { index_name: name, ...place, capacity_mode: deployment.kind };
}
