// POST and GET /indexes/{index_name}/check: verifies the files of an index while it is served.
import type { IndexCheckRun } from '../../../domain/integrity/services.ts';
import { LISTED_IDS_MAX } from '../../../domain/integrity/services.ts';
import type { ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const STATES = ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'];

const CheckedNamespace = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Absent where the name is lost.' })),
    records: Type.Integer({ description: 'Records that are whole.' }),
    lost: Type.Integer({ description: 'Records that are damaged or missing.' }),
    lost_ids: Type.Array(Type.String(), {
      description: `Their ids, as far as they are known; at most ${LISTED_IDS_MAX} of the index.`,
    }),
  },
  { title: 'CheckedNamespace', examples: [{ name: '', records: 480, lost: 0, lost_ids: [] }] },
);

const CheckedBackup = Type.Object(
  {
    backup_id: Type.String(),
    problem: Type.Optional(Type.String({ description: 'What is damaged; absent when it is whole.' })),
  },
  { title: 'CheckedBackup', examples: [{ backup_id: '670e8400-e29b-41d4-a716-446655440001' }] },
);

const IndexCheckObject = Type.Object(
  {
    index_name: Type.String(),
    state: Type.String({ enum: STATES }),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    is_whole: Type.Optional(Type.Boolean({ description: 'True when nothing is damaged. From its end on.' })),
    problems: Type.Array(Type.String(), { description: 'What is damaged: file, place and reason.' }),
    derived: Type.Array(Type.String(), { description: 'Damaged files that the server makes again.' }),
    namespaces: Type.Array(CheckedNamespace),
    backups: Type.Array(CheckedBackup, { description: 'The last backup of the index, if there is one.' }),
    error: Type.Optional(Type.String({ description: 'Why it failed or is being retried.' })),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  {
    title: 'IndexCheck',
    examples: [
      {
        index_name: 'notes',
        state: 'Completed',
        percent_complete: 100,
        is_whole: true,
        problems: [],
        derived: [],
        namespaces: [{ name: '', records: 480, lost: 0, lost_ids: [] }],
        backups: [],
        created_at: '2026-07-01T09:30:00.000Z',
        finished_at: '2026-07-01T09:30:02.000Z',
      },
    ],
  },
);

function toWire(name: string, { state, percent, error, findings, ...times }: IndexCheckRun) {
  const { check = null, backup = null } = findings ?? {};
  return {
    index_name: name,
    state,
    percent_complete: percent,
    ...(check === null
      ? {}
      : { is_whole: check.problems.length === 0 && (backup?.problem ?? null) === null }),
    problems: check?.problems ?? [],
    derived: check?.derived ?? [],
    namespaces: (check?.namespaces ?? []).map(({ name: namespace, records, lost, lostIds }) => ({
      ...(namespace === null ? {} : { name: namespace }),
      records,
      lost,
      lost_ids: lostIds,
    })),
    backups:
      backup === null
        ? []
        : [{ backup_id: backup.id, ...(backup.problem === null ? {} : { problem: backup.problem }) }],
    ...(error === null ? {} : { error }),
    created_at: times.createdAt,
    ...(times.finishedAt === null ? {} : { finished_at: times.finishedAt }),
  };
}

const common = {
  path: '/indexes/{index_name}/check',
  tag: 'Indexes',
  since: '2026-07',
  errors: 'standard',
  params: IndexParams,
} as const satisfies Partial<EndpointDetails>;

export const checkIndex: ControlEndpoint = {
  ...common,
  id: 'check_index',
  method: 'POST',
  summary: 'Check the files of an index',
  description:
    'Reads every page, record and vector of the index and its last backup, and compares their checksums. The index is ' +
    'served meanwhile. Called again before it ends, it returns the one in progress. An extension of this server, not ' +
    'part of the public API.',
  permission: 'control_plane::indexes::configure',
  success: { status: 202, description: 'The new check, or the one in progress.', schema: IndexCheckObject },
  faults: ['index-not-found'],
  handle: async (call) => {
    const name = indexName(call);
    return { status: 202, body: toWire(name, await call.services.checks.start(call.access, name)) };
  },
};

export const describeIndexCheck: ControlEndpoint = {
  ...common,
  id: 'describe_index_check',
  method: 'GET',
  summary: 'Describe the latest check of an index',
  permission: 'control_plane::indexes::configure',
  success: { status: 200, description: 'The check and what it has found.', schema: IndexCheckObject },
  faults: ['index-not-found', 'index-check-not-found'],
  handle: async (call) => {
    const name = indexName(call);
    return { status: 200, body: toWire(name, await call.services.checks.latest(call.access, name)) };
  },
};
