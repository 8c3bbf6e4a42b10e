// GET /console/overview: what the console's first page shows of a project.
import type { IndexOverview, RequestFigures } from '../../../domain/overview.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ access, services: { overviews } }: ControlCall): Promise<Reply> {
  const { indexes, jobs, warnings } = await overviews.read(access);
  const names = new Map(indexes.map(({ index }) => [index.id, index.name]));
  return {
    status: 200,
    headers: NO_STORE,
    body: {
      indexes: indexes.map(indexToWire),
      jobs: jobs.map(({ id, kind, state, percent, indexId, createdAt, error }) => ({
        id,
        kind,
        index_name: names.get(indexId ?? '') ?? null,
        state,
        percent_complete: percent,
        created_at: createdAt,
        error,
      })),
      warnings,
    },
  };
}

function indexToWire({ index, records, bytesOnDisk, bytesInMemory, queries }: IndexOverview): object {
  return {
    name: index.name,
    kind: index.documents === null ? 'vectors' : 'documents',
    vector_type: index.vectorType,
    dimension: index.dimension,
    metric: index.metric,
    model: index.embed?.model ?? null,
    state: index.state,
    record_count: records,
    disk_bytes: bytesOnDisk,
    memory_bytes: bytesInMemory,
    queries: figuresToWire(queries),
  };
}

function figuresToWire({
  expectedRecall,
  auditedRecall,
  promisedRecall,
  p50Ms,
  p99Ms,
  ...counts
}: RequestFigures): object {
  const recall = {
    expected_recall: expectedRecall,
    audited_recall: auditedRecall?.share ?? null,
    audited_recall_low: auditedRecall?.low ?? null,
    audited_recall_high: auditedRecall?.high ?? null,
    promised_recall: promisedRecall,
  };
  return { ...counts, p50_ms: p50Ms, p99_ms: p99Ms, ...recall };
}

const OrNull = (schema: object, description: string, example: unknown) => ({
  ...Type.Union([schema as ReturnType<typeof Type.Number>, Type.Null()]),
  description,
  examples: [example],
});
const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });
const Latency = OrNull(
  Type.Number(),
  'Upper bound in milliseconds, from a histogram; null without queries.',
  2.5,
);

const IndexFigures = Type.Object({
  name: Type.String({ examples: ['films'] }),
  kind: Type.Union([Type.Literal('vectors'), Type.Literal('documents')]),
  vector_type: Type.Union([Type.Literal('dense'), Type.Literal('sparse')]),
  dimension: OrNull(Type.Integer(), 'Null without dense vectors.', 1_024),
  metric: Type.String({ examples: ['cosine'] }),
  model: OrNull(Type.String(), 'The model that embeds texts; null without one.', 'builtin-english'),
  state: Type.String({ examples: ['Ready'] }),
  record_count: OrNull(Type.Integer(), 'Null for some of many indexes that nobody has used yet.', 1_200),
  disk_bytes: OrNull(Type.Integer(), 'Null while the index is being made or deleted.', 5_000_000),
  memory_bytes: Count('What the search keeps in memory.', 2_000_000),
  queries: Type.Object({
    count: Count('Queries and searches since the start of the server.', 42),
    errors: Count('Those that were refused or failed.', 1),
    p50_ms: Latency,
    p99_ms: Latency,
    expected_recall: OrNull(
      Type.Number(),
      'The mean share of the true best that recent searches expect among their results; null before the first.',
      0.99,
    ),
    audited_recall: OrNull(
      Type.Number(),
      'The share that audits of such searches have shown lately; null without audits.',
      0.995,
    ),
    audited_recall_low: OrNull(Type.Number(), 'The lower bound of its 95 % interval.', 0.992),
    audited_recall_high: OrNull(Type.Number(), 'The upper bound of its 95 % interval.', 0.998),
    promised_recall: OrNull(
      Type.Number(),
      'What the audited searches promised, by their requests or the index; null for the usual recall.',
      0.99,
    ),
  }),
});

const JobFigures = Type.Object({
  id: Type.String({ examples: ['3c4d5e6f-7a8b-4c9d-8e0f-1a2b3c4d5e6f'] }),
  kind: Type.String({ examples: ['import'] }),
  index_name: OrNull(Type.String(), 'Null for jobs without an index.', 'films'),
  state: Type.String({ enum: ['Pending', 'Running', 'Undoing'] }),
  percent_complete: Type.Number({ minimum: 0, maximum: 100, examples: [40] }),
  created_at: Type.String({ examples: ['2026-07-01T08:00:00.000Z'] }),
  error: OrNull(Type.String(), 'Why the job is being undone.', null),
});

export const readOverview: ControlEndpoint = {
  id: 'read_overview',
  method: 'GET',
  path: '/console/overview',
  tag: 'Console',
  summary: 'Read the overview of a project',
  description:
    'The indexes with their sizes and queries, the jobs that wait or run, and warnings for the operator. The console ' +
    'shows it first. An extension of this server.',
  since: '2026-07',
  permission: 'control_plane::indexes::list',
  errors: 'standard',
  success: {
    status: 200,
    description: 'The overview.',
    schema: Type.Object({
      indexes: Type.Array(IndexFigures, { description: 'In name order.' }),
      jobs: Type.Array(JobFigures, { description: 'Oldest first.' }),
      warnings: Type.Array(Type.String(), { examples: [['The disk of the data directory is 95 % full.']] }),
    }),
  },
  faults: [],
  handle,
};
