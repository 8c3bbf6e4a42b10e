// Schemas of recoveries of indexes, and their wire form.
import { isActive } from '../../../domain/jobs.ts';
import type { IndexRecovery, RecoverableIndex } from '../../../domain/recovery/services.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';

export const OURS = ' An extension of this server, not part of the public API.';

const Moment = (description: string) => Type.String({ format: 'date-time', description });

const SOURCE = '3f2b8c1e-5d47-4a90-9c6e-0b1a2d3e4f50';
const RECOVERY = '1d2e3f40-5a6b-4c7d-8e9f-0a1b2c3d4e5f';

export const SourceParams = Type.Object({
  index_name: Type.String({
    description: 'The name of the index or, also for one that was deleted, its id.',
    examples: ['books'],
  }),
});

const fields = {
  index_id: Type.String(),
  index_name: Type.String(),
  last_time: Type.Optional(Moment('Of a deleted index: the last moment with it.')),
  spans: Type.Array(
    Type.Object({
      from_time: Moment('The first moment of it.'),
      to_time: Moment('The last moment of it.'),
    }),
    {
      description:
        'The moments to which the index can be recovered, the oldest first. Several where writes between them could not ' +
        'be shipped; none where nothing was shipped so far.',
    },
  ),
};

const recoverable = {
  index_id: SOURCE,
  index_name: 'books',
  spans: [{ from_time: '2026-07-01T08:00:00.000Z', to_time: '2026-07-03T09:30:00.250Z' }],
};

export const RecoverableIndexObject = Type.Object(fields, {
  title: 'RecoverableIndex',
  examples: [recoverable],
});

export const Enabled = Type.Boolean({
  description: 'False where the server keeps no recovery log (`PINYON_RECOVERY`).',
});

export const DescribedIndexObject = Type.Object(
  { enabled: Enabled, ...fields },
  { title: 'DescribedRecoverableIndex', examples: [{ enabled: true, ...recoverable }] },
);

export const RecoveryAnswer = Type.Object(
  { recovery_id: Type.String(), index_id: Type.String() },
  { title: 'StartedRecovery', examples: [{ recovery_id: RECOVERY, index_id: SOURCE }] },
);

export const RecoveryParams = Type.Object({ recovery_id: Type.String({ examples: [RECOVERY] }) });

export const RecoveryObject = Type.Object(
  {
    recovery_id: Type.String(),
    source_index_name: Type.String({ description: 'Its name at that moment.' }),
    source_index_id: Type.String(),
    time: Moment('What was written by then is in the new index, and nothing later.'),
    target_index_name: Type.String(),
    target_index_id: Type.String(),
    status: choice(['Pending', 'Completed', 'Failed', 'Cancelled']),
    created_at: Type.String({ format: 'date-time' }),
    completed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null until the job has ended.',
    }),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    error: Type.Optional(Type.String({ description: 'Why the job is Failed.' })),
  },
  {
    title: 'Recovery',
    examples: [
      {
        recovery_id: RECOVERY,
        source_index_name: 'books',
        source_index_id: SOURCE,
        time: '2026-07-03T09:29:59.999Z',
        target_index_name: 'books-before',
        target_index_id: '8f9d2c6e-4b1a-4c3d-9e5f-6a7b8c9d0e1f',
        status: 'Pending',
        created_at: '2026-07-03T09:30:05.000Z',
        completed_at: null,
        percent_complete: 40,
      },
    ],
  },
);

type Json = Readonly<Record<string, unknown>>;

export function recoverableToWire({ id, name, lastAt, spans }: RecoverableIndex): Json {
  return {
    ...{ index_id: id, index_name: name },
    ...(lastAt !== null && { last_time: lastAt }),
    spans: spans.map(({ from, to }) => ({ from_time: from, to_time: to })),
  };
}

/** A job that is being retried is still Pending: callers wait for its end. */
export function recoveryToWire(job: IndexRecovery): Json {
  const { input, state, error } = job;
  return {
    ...{ recovery_id: job.id, source_index_name: input.sourceName, source_index_id: input.sourceId },
    time: new Date(input.moment).toISOString(),
    ...{ target_index_name: input.indexName, target_index_id: input.indexId },
    status: isActive(job) ? 'Pending' : state,
    ...{ created_at: job.createdAt, completed_at: job.finishedAt, percent_complete: job.percent },
    ...(state === 'Failed' && error !== null && { error }),
  };
}
