// DELETE /console/session: signs the browser out of the console.
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ end, services: { provider } }: ConsoleCall): Promise<Reply> {
  const idToken = end()?.idToken ?? null;
  const address = idToken === null ? null : ((await provider?.signOutAddress(idToken)) ?? null);
  if (address === null) return { status: 204, headers: NO_STORE };
  return { status: 200, headers: NO_STORE, body: { location: address } };
}

export const signOut: ConsoleEndpoint = {
  id: 'sign_out_of_console',
  method: 'DELETE',
  path: '/console/session',
  tag: 'Console',
  summary: 'Sign out of the console',
  description:
    'Ends the session on the server and removes its cookie. For somebody whom an OpenID provider has signed in, the ' +
    'answer may name where the browser ends the session at the provider, too.',
  since: '2026-07',
  permission: null,
  credential: 'console-session',
  versioning: 'ignored',
  errors: 'standard',
  success: { status: 204, description: 'The session has ended.' },
  pages: [
    {
      status: 200,
      description: 'The session has ended here, and can be ended at the provider.',
      schema: Type.Object({
        location: Type.String({ examples: ['https://login.example.org/logout?id_token_hint=example'] }),
      }),
    },
  ],
  faults: [],
  handle,
};
