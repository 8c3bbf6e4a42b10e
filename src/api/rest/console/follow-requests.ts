// GET /console/requests: the requests of a project as they end, as server-sent events.
import type { SeenRequest } from '../../../domain/live.ts';
import type { ControlCall, ControlEndpoint, StreamedReply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { queryInteger } from '../records/request-fields.ts';
import { NO_STORE } from './session-wire.ts';

/** Short, so that a stop of the server need not wait; callers continue where an answer ends. */
const SECONDS = { min: 0, max: 10 };
const AFTER = { min: 0, max: Number.MAX_SAFE_INTEGER };

async function handle({ access, query, signal, services: { live } }: ControlCall): Promise<StreamedReply> {
  const seconds = queryInteger(query, 'seconds', SECONDS) ?? SECONDS.min;
  const after = queryInteger(query, 'after', AFTER) ?? 0;
  return {
    status: 200,
    headers: { ...NO_STORE, 'content-type': 'text/event-stream; charset=utf-8' },
    content: eventsOf(live.follow(access, { after, seconds, signal })),
  };
}

async function* eventsOf(lists: AsyncIterable<readonly SeenRequest[]>): AsyncGenerator<string> {
  // A comment, so that the answer begins at once and lasts while nothing happens.
  for await (const requests of lists) yield requests.length === 0 ? ':\n\n' : requests.map(eventOf).join('');
}

function eventOf({ number, principalId, requestId, ...request }: SeenRequest): string {
  const data = { ...request, principal_id: principalId, request_id: requestId };
  return `id: ${number}\nevent: request\ndata: ${JSON.stringify(data)}\n\n`;
}

export const followRequests: ControlEndpoint = {
  id: 'follow_requests',
  method: 'GET',
  path: '/console/requests',
  tag: 'Console',
  summary: 'Follow the requests of a project',
  description:
    'Sends the latest requests of the project and then each further one as it ends, as server-sent events: method, ' +
    'route, status, reason of a refusal, time, index and caller. Those of the console itself are left out. Continue ' +
    'with `after`, the id of the last event, when the answer has ended. An extension of this server.',
  since: '2026-07',
  permission: 'data_plane::vectors::read',
  errors: 'standard',
  query: Type.Object({
    after: Type.Optional(
      Type.Integer({
        minimum: AFTER.min,
        maximum: AFTER.max,
        default: 0,
        description: 'Only later requests; all where the number is from before a restart of the server.',
      }),
    ),
    seconds: Type.Optional(
      Type.Integer({
        minimum: SECONDS.min,
        maximum: SECONDS.max,
        default: SECONDS.min,
        description: 'How long to follow; 0 sends what there is.',
        examples: [1],
      }),
    ),
  }),
  success: {
    status: 200,
    description: 'Events named `request`.',
    schema: Type.String({
      examples: [
        'id: 7\nevent: request\ndata: {"method":"POST","route":"/query","status":200,"reason":null,"ms":2.5}\n\n',
      ],
    }),
    mediaType: 'text/event-stream',
  },
  faults: ['invalid-argument', 'overloaded'],
  handle,
};
