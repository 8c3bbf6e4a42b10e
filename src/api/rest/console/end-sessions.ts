// DELETE /console/sessions: signs the caller out everywhere.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ own, end, session, requestId, services: { users } }: ConsoleCall): Promise<Reply> {
  if (session === null) throw fault('unauthenticated');
  const { principal, organizationId } = session;
  if (principal.type === 'user') {
    await users.endSessions({ organizationId, id: principal.id }, { ...principal, requestId });
  }
  own.endAll();
  end();
  return { status: 204, headers: NO_STORE };
}

export const endSessions: ConsoleEndpoint = {
  id: 'end_console_sessions',
  method: 'DELETE',
  path: '/console/sessions',
  tag: 'Console',
  summary: 'Sign out everywhere',
  description: 'Ends all sessions of the caller, this one included. The access tokens of a person end, too.',
  since: '2026-07',
  permission: null,
  credential: 'console-session',
  versioning: 'ignored',
  errors: 'standard',
  success: { status: 204, description: 'All sessions have ended.' },
  faults: [],
  handle,
};
