// DELETE /console/session: signs the browser out of the console.
import type { Reply } from '../../endpoint.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ end }: ConsoleCall): Promise<Reply> {
  end();
  return { status: 204, headers: NO_STORE };
}

export const signOut: ConsoleEndpoint = {
  id: 'sign_out_of_console',
  method: 'DELETE',
  path: '/console/session',
  tag: 'Console',
  summary: 'Sign out of the console',
  description: 'Ends the session on the server and removes its cookie.',
  since: '2026-07',
  permission: null,
  credential: 'console-session',
  versioning: 'ignored',
  errors: 'standard',
  success: { status: 204, description: 'The session has ended.' },
  faults: [],
  handle,
};
