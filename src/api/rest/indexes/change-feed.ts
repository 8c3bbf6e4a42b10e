// Endpoints below /indexes/{index_name}/changes: the changes of an index as they are committed, to follow it.
import {
  FEED_PAGE,
  type FollowedChange,
  type FollowedPage,
  type FollowRequest,
} from '../../../domain/history/services.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { ControlCall, ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { readNamespace } from '../../request-namespaces.ts';
import { Type } from '../../schema/type.ts';
import { NO_STORE } from '../console/session-wire.ts';
import { queryInteger, queryString } from '../records/request-fields.ts';
import { CAUSE, KIND } from './history.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

/** Short, so that a stop of the server need not wait; callers continue where an answer ends. */
const WAIT_MS = { min: 0, max: 10_000 };
const SECONDS = { min: 0, max: WAIT_MS.max / 1_000 };

const FedChange = Type.Object(
  {
    lsn: Type.Integer({ minimum: 0, description: 'Of the write.', examples: [118] }),
    time: Type.String({ format: 'date-time' }),
    namespace: Type.String(),
    kind: KIND,
    cause: CAUSE,
    ids: Type.Array(Type.String(), {
      description:
        'The records that the write changed, in its order; none where a namespace was created or deleted. Fetch them for ' +
        'their present state: one that is missing is gone.',
    }),
    cursor: Type.String({ description: 'To go on behind this change.', examples: ['118.2.0f1e2d3c'] }),
  },
  {
    title: 'FollowedChange',
    examples: [
      {
        ...{
          lsn: 118,
          time: '2026-07-01T09:30:00.000Z',
          namespace: 'films',
          kind: 'upsert',
          cause: 'request',
        },
        ids: ['movie-1', 'movie-2'],
        cursor: '118.2.0f1e2d3c',
      },
    ],
  },
);

const place = {
  after: Type.Optional(
    Type.String({
      description:
        'The cursor of the page before, or the LSN of the last write that you have; only later changes. Default: the ' +
        'present, whose cursor you get.',
      examples: ['118'],
    }),
  ),
  namespace: Type.Optional(
    Type.String({ description: 'Only this namespace, by its own name: an alias is refused. Default all.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: FEED_PAGE.min,
      maximum: FEED_PAGE.max,
      default: FEED_PAGE.preset,
      description: 'Ids of a page.',
    }),
  ),
};

const common = {
  tag: 'History',
  since: '2026-07',
  errors: 'standard',
  params: IndexParams,
  method: 'GET',
  permission: 'data_plane::vectors::read',
  faults: ['index-not-found', 'index-not-ready', 'followed-alias', 'invalid-argument'],
} as const satisfies Partial<EndpointDetails>;

export const readChanges: ControlEndpoint = {
  ...common,
  path: '/indexes/{index_name}/changes',
  id: 'read_changes',
  summary: 'Read the changes of an index in order',
  description:
    'The changes of records after a cursor, in the order of the writes, as far back as the history goes. With wait_ms, the ' +
    'answer waits for the next change. An extension of this server, not part of the public API.',
  query: Type.Object({
    ...place,
    wait_ms: Type.Optional(
      Type.Integer({
        minimum: WAIT_MS.min,
        maximum: WAIT_MS.max,
        default: WAIT_MS.min,
        description: 'How long to wait for changes.',
      }),
    ),
  }),
  success: {
    status: 200,
    description: 'A page of changes.',
    schema: Type.Object(
      {
        changes: Type.Array(FedChange),
        cursor: Type.String({
          description: 'For the next page; keep it as it is.',
          examples: ['119.0.0f1e2d3c'],
        }),
        has_more: Type.Boolean({ description: 'True where further changes wait to be read.' }),
      },
      { title: 'FollowedChanges' },
    ),
  },
  handle: async (call) => {
    const request = followOf(call, queryInteger(call.query, 'wait_ms', WAIT_MS) ?? WAIT_MS.min);
    const page = await call.services.feeds.next(call.access, indexName(call), request);
    const { cursor, hasMore } = page;
    return { status: 200, body: { changes: page.changes.map(changeToWire), cursor, has_more: hasMore } };
  },
};

export const followChanges: ControlEndpoint = {
  ...common,
  path: '/indexes/{index_name}/changes/stream',
  id: 'follow_changes',
  summary: 'Follow the changes of an index',
  description:
    'The changes after a cursor, then each further one as it is committed, as server-sent events. The id of an event is the ' +
    'cursor to go on with when the answer has ended. An extension of this server, not part of the public API.',
  query: Type.Object({
    ...place,
    seconds: Type.Optional(
      Type.Integer({
        minimum: SECONDS.min,
        maximum: SECONDS.max,
        default: SECONDS.max,
        description: 'How long to follow.',
        examples: [0],
      }),
    ),
  }),
  success: {
    status: 200,
    description: 'Events named `changes`, each with the changes of a page.',
    schema: Type.String({
      examples: [
        'id: 119.0.0f1e2d3c\nevent: changes\ndata: [{"lsn":118,"time":"2026-07-01T09:30:00.000Z","namespace":"films","kind":"upsert","cause":"request","ids":["movie-1"],"cursor":"118.1.0f1e2d3c"}]\n\n',
      ],
    }),
    mediaType: 'text/event-stream',
  },
  handle: async (call) => {
    const seconds = queryInteger(call.query, 'seconds', SECONDS) ?? SECONDS.max;
    const pages = call.services.feeds.follow(call.access, indexName(call), followOf(call, seconds * 1_000));
    const headers = { ...NO_STORE, 'content-type': 'text/event-stream; charset=utf-8' };
    return { status: 200, headers, content: eventsOf(pages) };
  },
};

async function* eventsOf(pages: AsyncIterable<FollowedPage>): AsyncGenerator<string> {
  // An event without changes tells the cursor of the present, and keeps the connection alive.
  for await (const { changes, cursor } of pages)
    yield `id: ${cursor}\nevent: changes\ndata: ${JSON.stringify(changes.map(changeToWire))}\n\n`;
}

/** @throws invalid-argument */
function followOf({ query, signal }: ControlCall, waitMs: number): FollowRequest {
  const namespace = queryString(query, 'namespace');
  return {
    after: queryString(query, 'after') ?? null,
    namespace: namespace === undefined ? null : readNamespace(namespace).stored,
    limit: queryInteger(query, 'limit', FEED_PAGE) ?? FEED_PAGE.preset,
    waitMs,
    signal,
  };
}

function changeToWire({ lsn, at, namespace, kind, cause, ids, cursor }: FollowedChange) {
  return { lsn, time: at, namespace: namespaceToShown(namespace), kind, cause, ids, cursor };
}
