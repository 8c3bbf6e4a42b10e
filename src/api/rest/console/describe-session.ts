// GET /console/session: who is signed in, and what that holder may do.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE, SESSION_FIELDS, sessionToWire } from './session-wire.ts';

async function handle({ session, services: { release } }: ConsoleCall): Promise<Reply> {
  if (session === null) throw fault('unauthenticated');
  return { status: 200, headers: NO_STORE, body: sessionToWire(session, release) };
}

export const describeSession: ConsoleEndpoint = {
  id: 'describe_console_session',
  method: 'GET',
  path: '/console/session',
  tag: 'Console',
  summary: 'Describe the session of the console',
  description: 'Also renews it. Roles are those of now, not those of the sign-in.',
  since: '2026-07',
  permission: null,
  credential: 'console-session',
  versioning: 'ignored',
  errors: 'standard',
  success: { status: 200, description: 'The session.', schema: Type.Object(SESSION_FIELDS) },
  faults: [],
  handle,
};
