// POST /console/session: signs a browser in to the console.

import type { SignInHolder } from '../../../domain/administration/console-session.ts';
import {
  EMAIL_CHARS_MAX,
  PASSWORD_CHARS_MAX,
  SESSION_IDLE_SECONDS,
  SESSION_SECONDS_MAX,
} from '../../../domain/administration/limits.ts';
import type { FinishedSignIn } from '../../../domain/administration/provider-sign-in.ts';
import { type Fault, fault, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { PASSWORD_FIELDS } from '../identity/password-fields.ts';
import type { ConsoleCall, ConsoleEndpoint, ConsoleServices } from './console-endpoint.ts';
import { requireProvider } from './require-provider.ts';
import { NO_STORE, SESSION_FIELDS, sessionToWire } from './session-wire.ts';

type Fields = ConsoleCall['fields'];

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

async function handle(call: ConsoleCall): Promise<Reply> {
  const { fields, open, services } = call;
  const isByProvider = 'callback' in fields;
  const finished = isByProvider ? await finish(call) : undefined;
  const holder = finished?.holder ?? (await holderOf(call));
  const opened = holder === undefined ? undefined : open(holder);
  if (opened === undefined) throw refusalOf(fields);
  const session = sessionToWire(opened.session, services.release);
  const returnTo = finished === undefined ? {} : { return_to: finished.returnTo };
  return { status: 200, headers: NO_STORE, body: { token: opened.token, ...session, ...returnTo } };
}

/** The end of a sign-in at the provider. @throws sign-in-refused, provider-unavailable, invalid-argument */
function finish({ fields, takePending, requestId, services }: ConsoleCall): Promise<FinishedSignIn> {
  const provider = requireProvider(services);
  const callback = textOf(fields, 'callback');
  const token = textOf(fields, 'callback_token');
  const id = provider.idOf(callback);
  const cookie = id === undefined ? undefined : takePending(id);
  return provider.finish({ callback, cookie, token, requestId });
}

/** @throws invalid-argument, too-many-attempts, overloaded */
async function holderOf(call: ConsoleCall): Promise<SignInHolder | undefined> {
  const { fields, services } = call;
  const given = Object.keys(fields).sort().join();
  switch (given) {
    case 'api_key':
      return (await services.identities.logIn(textOf(fields, 'api_key')))?.session;
    case 'code':
      return services.codes.redeem(textOf(fields, 'code'));
    case 'client_id,client_secret':
      return accountOf(fields, services);
    case 'email,password':
    case 'email,organization_id,password':
      return personOf(call);
    default:
      throw invalid('Give api_key, or email and password, or client_id and client_secret, or code');
  }
}

/** Says what the caller gave, and nothing of which part of it is wrong. */
function refusalOf(fields: Fields): Fault {
  if ('api_key' in fields) return fault('unauthenticated');
  if ('callback' in fields) return fault('sign-in-refused', { reason: 'The account is gone.' });
  if ('code' in fields) {
    const reason = 'This sign-in link was used already or has expired. Sign in with a key or an account.';
    return fault('sign-in-refused', { reason });
  }
  const pair = 'email' in fields ? 'The e-mail address or the password' : 'The client id or the secret';
  return fault('sign-in-refused', { reason: `${pair} is wrong.` });
}

async function accountOf(fields: Fields, { identities }: ConsoleServices): Promise<SignInHolder | undefined> {
  const clientId = textOf(fields, 'client_id');
  const issued = await identities.exchange({ clientId, clientSecret: textOf(fields, 'client_secret') });
  return issued === undefined ? undefined : identities.accessOf(issued.token);
}

async function personOf({ fields, services, address }: ConsoleCall): Promise<SignInHolder | undefined> {
  const email = textOf(fields, 'email');
  const password = textOf(fields, 'password');
  if (email.length > EMAIL_CHARS_MAX || password.length > PASSWORD_CHARS_MAX) return undefined;
  const organizationId = fields.organization_id === undefined ? null : textOf(fields, 'organization_id');
  const signedIn = await services.people.signIn({ email, password, organizationId, address });
  return signedIn && { ...signedIn.session, generation: signedIn.generation };
}

/** @throws invalid-argument */
function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw invalid(`${name} must be a string`);
  return value;
}

export const signIn: ConsoleEndpoint = {
  id: 'sign_in_to_console',
  method: 'POST',
  path: '/console/session',
  tag: 'Console',
  summary: 'Sign in to the console',
  description:
    'Takes an API key, the e-mail address and password of a person, the id and secret of a service account, or the ' +
    'code of a one-time link; or what an OpenID provider sent the browser back with. Sets a cookie that no page can read, and returns the token that the page adds to its ' +
    'requests in the header `X-Pinyon-Session`: neither counts without the other. A session ends ' +
    `${SESSION_IDLE_SECONDS / MINUTE_SECONDS} minutes after its last request, after ` +
    `${SESSION_SECONDS_MAX / HOUR_SECONDS} hours, and with the credential behind it.`,
  since: '2026-07',
  permission: null,
  credential: 'none',
  versioning: 'ignored',
  errors: 'standard',
  body: Type.Object(
    {
      api_key: Type.Optional(Type.String({ examples: ['pcsk_4d5e6f_secret'] })),
      ...PASSWORD_FIELDS,
      client_id: Type.Optional(Type.String({ examples: ['c1a2b3c4d5e6f7081'] })),
      client_secret: Type.Optional(Type.String({ examples: ['example-secret'] })),
      callback: Type.Optional(
        Type.String({
          description: 'The query with which the OpenID provider sent the browser back.',
          examples: ['code=example&state=example'],
        }),
      ),
      callback_token: Type.Optional(
        Type.String({
          description: 'What the beginning of the sign-in at the provider returned.',
          examples: ['example'],
        }),
      ),
      code: Type.Optional(
        Type.String({ description: 'Of the link that the first start prints.', examples: ['example-code'] }),
      ),
    },
    { examples: [{ api_key: 'pcsk_4d5e6f_secret' }] },
  ),
  success: {
    status: 200,
    description: 'The session.',
    schema: Type.Object({
      token: Type.String({ examples: ['example-token'] }),
      ...SESSION_FIELDS,
      return_to: Type.Optional(
        Type.String({
          description: 'After a sign-in at the OpenID provider, the part of the console where it was begun.',
          examples: ['#/search'],
        }),
      ),
    }),
    headers: Type.Object({
      'set-cookie': Type.String({ description: 'The other half of the session.' }),
    }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'unauthenticated',
    'sign-in-refused',
    'too-many-attempts',
    'provider-unavailable',
  ],
  handle,
};
