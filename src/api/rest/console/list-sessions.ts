// GET /console/sessions: the caller's own sessions.
import type { OwnSession } from '../../../domain/administration/console-session.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ own }: ConsoleCall): Promise<Reply> {
  return { status: 200, headers: NO_STORE, body: { sessions: own.list().map(toWire) } };
}

function toWire({ id, openedAt, lastUsedAt, endsAt, host, isByProvider, isCurrent }: OwnSession): object {
  return {
    id,
    opened_at: openedAt,
    last_used_at: lastUsedAt,
    ends_at: endsAt,
    host,
    by_provider: isByProvider,
    current: isCurrent,
  };
}

const time = (description: string) => Type.String({ description, examples: ['2026-07-01T08:00:00.000Z'] });

export const listSessions: ConsoleEndpoint = {
  id: 'list_console_sessions',
  method: 'GET',
  path: '/console/sessions',
  tag: 'Console',
  summary: 'List your sessions',
  description: 'The sessions of the caller that have not ended, the one used last first.',
  since: '2026-07',
  permission: null,
  credential: 'console-session',
  versioning: 'ignored',
  errors: 'standard',
  success: {
    status: 200,
    description: 'The sessions.',
    schema: Type.Object({
      sessions: Type.Array(
        Type.Object({
          id: Type.String({ examples: ['0123456789abcdef0123456789abcdef'] }),
          opened_at: Type.Union([time('Null for sessions of earlier releases.'), Type.Null()]),
          last_used_at: time('The last request.'),
          ends_at: time('When it ends, however much it is used.'),
          host: Type.String({
            description: 'The host and port of the server, as the browser named it.',
            examples: ['localhost:5080'],
          }),
          by_provider: Type.Boolean({ description: 'True for sign-ins at the OpenID provider.' }),
          current: Type.Boolean({ description: 'True for the session of this request.' }),
        }),
      ),
    }),
  },
  faults: [],
  handle,
};
