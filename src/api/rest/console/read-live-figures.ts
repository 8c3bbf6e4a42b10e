// GET /console/metrics: figures of the requests of a project or an index, minute by minute for up to a day.
import { MINUTES_OF_DAY } from '../../../domain/live.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { queryInteger, queryString } from '../records/request-fields.ts';
import { NO_STORE } from './session-wire.ts';

const MINUTES = { min: 1, max: MINUTES_OF_DAY };
const MINUTES_DEFAULT = 60;

async function handle({ access, query, services: { live } }: ControlCall): Promise<Reply> {
  const minutes = queryInteger(query, 'minutes', MINUTES) ?? MINUTES_DEFAULT;
  const { from, figures } = await live.figures(access, queryString(query, 'index_name') ?? null, minutes);
  const { queries, writes, others, refused, failed, p50Ms, p99Ms } = figures;
  const body = { from, queries, writes, others, refused, failed, p50_ms: p50Ms, p99_ms: p99Ms };
  return { status: 200, headers: NO_STORE, body };
}

const Counts = (description: string) =>
  Type.Array(Type.Integer({ minimum: 0 }), { description, examples: [[0, 12, 7]] });
const Latencies = (share: string) =>
  Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description: `${share} of the queries took at most this many milliseconds; an upper bound. Null without queries.`,
    examples: [[null, 2.5, 5]],
  });

export const readLiveFigures: ControlEndpoint = {
  id: 'read_live_figures',
  method: 'GET',
  path: '/console/metrics',
  tag: 'Console',
  summary: 'Read figures of each minute',
  description:
    'Requests of an index, or of all indexes of the project, for each minute, the oldest first. The last minute is ' +
    'running. They are kept for a day, also over a restart. An extension of this server.',
  since: '2026-07',
  permission: 'control_plane::indexes::list',
  errors: 'standard',
  query: Type.Object({
    index_name: Type.Optional(Type.String({ description: 'By default all indexes of the project.' })),
    minutes: Type.Optional(
      Type.Integer({ minimum: MINUTES.min, maximum: MINUTES.max, default: MINUTES_DEFAULT }),
    ),
  }),
  success: {
    status: 200,
    description: 'One number for each minute.',
    schema: Type.Object({
      from: Type.String({ description: 'The first minute.', examples: ['2026-07-01T08:00:00.000Z'] }),
      queries: Counts('Queries and searches.'),
      writes: Counts('Upserts, updates and deletions.'),
      others: Counts('Other requests for records.'),
      refused: Counts('Those of all that were answered with 400 to 499.'),
      failed: Counts('Those of all that were answered with 500 or above.'),
      p50_ms: Latencies('Half'),
      p99_ms: Latencies('99 of 100'),
    }),
  },
  faults: ['invalid-argument', 'index-not-found'],
  handle,
};
