// GET /console/sign-in: the ways to sign in that a server has beside its own.
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ services: { provider } }: ConsoleCall): Promise<Reply> {
  const body = { provider: provider === null ? null : { name: provider.name } };
  return { status: 200, headers: NO_STORE, body };
}

export const describeSignIn: ConsoleEndpoint = {
  id: 'describe_console_sign_in',
  method: 'GET',
  path: '/console/sign-in',
  tag: 'Console',
  summary: 'Describe the ways to sign in',
  description: 'Names the OpenID provider at which people sign in, where the server has one.',
  since: '2026-07',
  permission: null,
  credential: 'none',
  versioning: 'ignored',
  errors: 'standard',
  success: {
    status: 200,
    description: 'The ways to sign in.',
    schema: Type.Object({
      provider: Type.Union([
        Type.Object({ name: Type.String({ description: 'For people.', examples: ['Example login'] }) }),
        Type.Null(),
      ]),
    }),
  },
  faults: [],
  handle,
};
