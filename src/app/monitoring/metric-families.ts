// All metrics and how a reading provides them. The first group has the names of the public service, so
// that its dashboards work; the others are this service's own. Each is explained in docs/reference/metrics.md.
import type { Index } from '../../domain/index-model.ts';
import type {
  IndexMetrics,
  IndexStructure,
  OpenIndexFigures,
  ThreadMetrics,
} from '../../engine/port/vector-store.ts';
import { LATENCY_BOUNDS } from './latency-histogram.ts';
import { type Family, histogramSamples, type Labels, type Sample } from './prometheus-text.ts';
import type { IndexReading, MetricsReading } from './read-metrics.ts';
import { OPERATIONS, type OperationMeter } from './request-meter.ts';

const OVERLOADED_STATUS = 429;
const MILLISECONDS_PER_SECOND = 1_000;
const PUBLIC_OPERATIONS = OPERATIONS.filter((operation) => operation !== 'other');
const UNUSED: Pick<OperationMeter, 'count' | 'milliseconds'> = { count: 0, milliseconds: 0 };

/** What an index is called in every sample about it. */
type LabelledReading = IndexReading & { readonly labels: Labels };

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
    ...memoryFamilies(indexes),
    ...structureFamilies(indexes),
    ...integrityFamilies(indexes),
    ...historyFamilies(indexes),
    ...branchFamilies(indexes),
    ...expiryFamilies(indexes),
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

function expiryFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const expiring = indexes.flatMap(({ labels, removals }) =>
    removals === undefined ? [] : [{ labels, removals }],
  );
  const nowSeconds = Date.now() / MILLISECONDS_PER_SECOND;
  return [
    counter(
      'pinyon_expired_records_removed_total',
      'Expired records that the background has removed from the index since the start.',
      expiring.map(({ labels, removals }) => ({ labels, value: removals.removed })),
    ),
    gauge(
      'pinyon_expired_records_waiting_seconds',
      'How long ago the earliest record expired that waits for its removal; 0 when none waits.',
      expiring.map(({ labels, removals: { oldest } }) => ({
        labels,
        value: oldest === null ? 0 : Math.max(0, nowSeconds - oldest),
      })),
    ),
  ];
}

function historyFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const nowSeconds = Date.now() / MILLISECONDS_PER_SECOND;
  return [
    gauge(
      'pinyon_history_bytes',
      'Disk space of what the index keeps of the past, with what waits to be used again.',
      ofEngine(indexes, ({ history }) => history?.bytes),
    ),
    gauge(
      'pinyon_history_window_seconds',
      'How long ago the earliest moment is to which the index can return.',
      ofEngine(indexes, ({ history }) =>
        history === null ? undefined : Math.max(0, nowSeconds - history.from),
      ),
    ),
  ];
}

function branchFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  return [
    gauge(
      'pinyon_branches',
      'Branches of namespaces.',
      ofEngine(indexes, ({ branches }) => branches?.count),
    ),
    gauge(
      'pinyon_branch_records',
      'Records that branches do not share with their sources.',
      ofEngine(indexes, ({ branches }) => branches?.ownRecords),
    ),
    gauge(
      'pinyon_branch_bytes',
      'Bytes of the records that branches do not share: ids, vectors and metadata.',
      ofEngine(indexes, ({ branches }) => branches?.ownBytes),
    ),
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
    value: [...requests.values()].reduce((sum, { errors }) => sum + (errors.get(OVERLOADED_STATUS) ?? 0), 0),
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
      'pinyon_request_queue_seconds_total',
      'The part of the time in which requests waited for the engine.',
      meters.map(({ labels, meter }) => ({
        labels,
        value: (meter.milliseconds - meter.engineMs) / MILLISECONDS_PER_SECOND,
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
    counter('pinyon_overloads_total', 'Requests refused with 429 because queues were full.', overloads),
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

function memoryFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const samples = indexes.flatMap(({ labels, engine: { memory } }) =>
    Object.entries(memory ?? {}).map(([part, value]) => ({ labels: { ...labels, part }, value })),
  );
  return [gauge('pinyon_memory_bytes', 'Memory of an index by content.', samples)];
}

const STRUCTURE: readonly (readonly [string, string, (fields: IndexStructure) => number | undefined])[] = [
  ['pinyon_namespaces_loaded', 'Namespaces in memory.', ({ namespacesLoaded }) => namespacesLoaded],
  ['pinyon_slots', 'Slots of records in memory, tombstones included.', ({ slots }) => slots],
  ['pinyon_graph_slots', 'Slots searched through graphs.', ({ graphSlots }) => graphSlots],
  [
    'pinyon_unindexed_slots',
    'Slots that wait for their insertion into a graph.',
    ({ unindexedSlots }) => unindexedSlots,
  ],
  [
    'pinyon_tail_slots',
    'Deprecated: the old name of pinyon_unindexed_slots.',
    ({ unindexedSlots }) => unindexedSlots,
  ],
  ['pinyon_build_slots', 'Slots that the running graph builds insert.', ({ building }) => building?.total],
  [
    'pinyon_build_done_slots',
    'Slots that the running graph builds have inserted.',
    ({ building }) => building?.done,
  ],
];

function structureFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  return STRUCTURE.map(([name, help, take]) =>
    gauge(
      name,
      help,
      ofEngine(indexes, ({ structure }) => (structure === null ? undefined : take(structure))),
    ),
  );
}

function integrityFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  return [
    gauge(
      'pinyon_index_damaged',
      '1 for an index that is closed because its files are damaged or missing, else 0.',
      ofEngine(indexes, ({ damage }) => Number(damage.isClosed)),
    ),
    gauge(
      'pinyon_damaged_records',
      'Damaged records and vectors met since the start, by requests or in the background.',
      ofEngine(indexes, ({ damage }) => damage.records),
    ),
    counter(
      'pinyon_scrubbed_bytes_total',
      'Bytes of the index read in the background to find damage.',
      ofEngine(indexes, ({ scrub }) => scrub?.bytes),
    ),
    gauge(
      'pinyon_scrub_finished_seconds',
      'When the index was last read to its end in the background, since 1970.',
      ofEngine(indexes, ({ scrub }) => scrub?.finishedAt ?? undefined),
    ),
  ];
}

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
      'How long ago the oldest request came that an engine thread has not answered.',
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

/** Samples of values that the engine provides; without the value there is no sample. */
function ofEngine(
  indexes: readonly LabelledReading[],
  take: (fields: IndexMetrics) => number | undefined,
): readonly Sample[] {
  return indexes.flatMap(({ labels, engine }) => {
    const value = take(engine);
    return value === undefined ? [] : [{ labels, value }];
  });
}

export function one(value: number): Sample {
  return { labels: {}, value };
}

/** The labels of the public service. Pod-based and byoc indexes have an environment instead of a cloud and region. */
export function labelsOf({ name, deployment }: Index): Labels {
  const place =
    deployment.kind === 'serverless'
      ? { cloud: deployment.cloud, region: deployment.region }
      : { cloud: '', region: deployment.environment };
  return { index_name: name, ...place, capacity_mode: deployment.kind };
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples };
}

export function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'counter', help, samples };
}
