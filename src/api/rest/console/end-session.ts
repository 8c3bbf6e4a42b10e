// DELETE /console/sessions/{session_id}: ends one of the caller's own sessions.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ own, params }: ConsoleCall): Promise<Reply> {
  const { session_id: id = '' } = params;
  if (!own.endOne(id)) throw fault('session-not-found');
  return { status: 204, headers: NO_STORE };
}

export const endSession: ConsoleEndpoint = {
  id: 'end_console_session',
  method: 'DELETE',
  path: '/console/sessions/{session_id}',
  tag: 'Console',
  summary: 'End one of your sessions',
  description: 'Whoever uses it must sign in again.',
  since: '2026-07',
  permission: null,
  credential: 'console-session',
  versioning: 'ignored',
  errors: 'standard',
  params: Type.Object({
    session_id: Type.String({
      description: 'As the list of sessions names it.',
      examples: ['0123456789abcdef0123456789abcdef'],
    }),
  }),
  success: { status: 204, description: 'The session has ended.' },
  faults: ['session-not-found'],
  handle,
};
