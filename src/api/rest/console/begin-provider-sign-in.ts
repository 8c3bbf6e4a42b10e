// POST /console/oidc: begins a sign-in at the OpenID provider.
import { SIGN_IN_SECONDS } from '../../../domain/administration/provider-sign-in.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { ConsoleCall, ConsoleEndpoint } from './console-endpoint.ts';
import { requireProvider } from './require-provider.ts';
import { NO_STORE } from './session-wire.ts';

const RETURN_TO_CHARS_MAX = 1_000;

async function handle({ fields, host, present, setPending, services }: ConsoleCall): Promise<Reply> {
  const provider = requireProvider(services);
  const { return_to: returnTo = '', connect = false } = fields;
  if (typeof returnTo !== 'string') throw invalid('return_to must be a string');
  if (typeof connect !== 'boolean') throw invalid('connect must be true or false');
  const link = connect ? present() : null;
  if (connect && link === null) throw fault('unauthenticated');
  const { location, id, cookie, token } = await provider.begin({ host, returnTo, link });
  setPending({ id, value: cookie, seconds: SIGN_IN_SECONDS });
  return { status: 200, headers: NO_STORE, body: { location, token } };
}

export const beginProviderSignIn: ConsoleEndpoint = {
  id: 'begin_provider_sign_in',
  method: 'POST',
  path: '/console/oidc',
  tag: 'Console',
  summary: 'Begin a sign-in at the OpenID provider',
  description:
    'Returns the address of the provider that the browser goes to, and a token that the page keeps; sets a cookie. ' +
    'Who has both may finish the sign-in within ten minutes, once, by `POST /console/session` with the query that ' +
    'the provider sends the browser back with. The provider sees state, nonce and the challenge of PKCE.',
  since: '2026-07',
  permission: null,
  credential: 'none',
  versioning: 'ignored',
  errors: 'standard',
  body: Type.Object(
    {
      return_to: Type.Optional(
        Type.String({
          maxLength: RETURN_TO_CHARS_MAX,
          description:
            'The part of the console to go on at: a fragment that begins with `#/`. Others are ignored.',
          examples: ['#/search'],
        }),
      ),
      connect: Type.Optional(
        Type.Boolean({
          description:
            'Connects the identity to the account of the present session, in place of signing in. Default: false.',
          examples: [false],
        }),
      ),
    },
    { examples: [{ return_to: '#/search' }] },
  ),
  success: {
    status: 200,
    description: 'Where the browser goes.',
    schema: Type.Object({
      location: Type.String({ examples: ['https://login.example.org/authorize?client_id=pinyon'] }),
      token: Type.String({ description: 'The half that the page keeps.', examples: ['example'] }),
    }),
    headers: Type.Object({ 'set-cookie': Type.String({ description: 'The other half.' }) }),
  },
  faults: ['invalid-argument', 'body-not-json', 'unauthenticated', 'sign-in-refused', 'provider-unavailable'],
  handle,
};
