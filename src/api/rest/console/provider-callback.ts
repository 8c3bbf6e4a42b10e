// GET /console/oidc/callback: where the OpenID provider sends the browser back to.
import type { Reply } from '../../endpoint.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE } from './session-wire.ts';

/** The page takes over, because only it has its half. The address is fixed, and a fragment is sent to no server. */
async function handle({ search }: ConsoleCall): Promise<Reply> {
  const location = `../../#/sign-in?callback=${encodeURIComponent(search)}`;
  return { status: 303, headers: { ...NO_STORE, location, 'referrer-policy': 'no-referrer' } };
}

export const providerCallback: ConsoleEndpoint = {
  id: 'return_from_provider',
  method: 'GET',
  path: '/console/oidc/callback',
  tag: 'Console',
  summary: 'Return from the OpenID provider',
  description:
    'The redirect address to register at the provider. Leads to the console, which finishes the sign-in.',
  since: '2026-07',
  permission: null,
  credential: 'none',
  versioning: 'ignored',
  errors: 'standard',
  success: { status: 303, description: 'The console goes on.' },
  faults: [],
  handle,
};
