// POST /auth/login and /api/auth/login: exchanges an API key, or the password of a person, for a token.

import type { SignedIn } from '../../../domain/administration/identity.ts';
import { EMAIL_CHARS_MAX, PASSWORD_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { IdentityCall, IdentityEndpoint, IdentityServices } from './identity-endpoint.ts';
import { PASSWORD_FIELDS } from './password-fields.ts';

async function handle({ fields, services, address }: IdentityCall): Promise<Reply> {
  const key = optionalText(fields, 'api_key');
  const email = optionalText(fields, 'email');
  const password = optionalText(fields, 'password');
  if (key !== undefined && (email !== undefined || password !== undefined)) {
    throw invalid('Give either api_key, or email and password');
  }
  if ((email === undefined) !== (password === undefined)) throw invalid('Give email and password together');
  const signedIn =
    email === undefined || password === undefined
      ? await services.identities.logIn(key)
      : await signIn({ email, password, fields, services, address });
  if (signedIn === undefined) throw fault('unauthenticated');
  return loginReply(signedIn, services);
}

async function signIn({
  email,
  password,
  fields,
  services,
  address,
}: Pick<IdentityCall, 'fields' | 'services' | 'address'> & {
  readonly email: string;
  readonly password: string;
}) {
  const organizationId = optionalText(fields, 'organization_id') ?? null;
  if (email.length > EMAIL_CHARS_MAX || password.length > PASSWORD_CHARS_MAX) return undefined;
  return services.people.signIn({ email, password, organizationId, address });
}

/** @throws invalid-argument */
function optionalText(fields: IdentityCall['fields'], name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`${name} must be a string`);
  return value;
}

/** The response of a login, and of a change that makes people log in again. */
export function loginReply(
  { token, session }: Pick<SignedIn, 'token' | 'session'>,
  { identities }: Pick<IdentityServices, 'identities'>,
): Reply {
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      token,
      principal: session.user,
      project_id: session.projectId,
      project_name: identities.projectName(session.projectId),
    },
  };
}

export const loginSuccess: IdentityEndpoint['success'] = {
  status: 200,
  description: 'The session.',
  schema: Type.Object({
    token: Type.String({ examples: ['eyJhbGciOiJIUzI1NiJ9.example'] }),
    principal: Type.String({
      description: 'The id of the API key, or the e-mail address of the person.',
      examples: ['4d5e6f70-8a9b-4c0d-9e1f-2a3b4c5d6e7f'],
    }),
    project_id: Type.String({
      description: 'Empty for a person without a project.',
      examples: ['2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d'],
    }),
    project_name: Type.Union([Type.String(), Type.Null()], {
      description: 'Null when the project no longer exists.',
      examples: ['search'],
    }),
  }),
};

export const logIn: IdentityEndpoint = {
  id: 'log_in',
  method: 'POST',
  path: '/auth/login',
  tag: 'Identity',
  summary: 'Log in',
  description:
    'Returns a session token for an API key, valid for an hour and no longer than the key; or, for the e-mail address ' +
    'and the password of a person, an access token for half an hour, which the administration accepts too. The response ' +
    'is the same for an unknown address as for a wrong password.',
  since: '2026-07',
  permission: null,
  credential: 'none',
  versioning: 'identity',
  forms: false,
  errors: 'identity',
  bodyOptional: true,
  body: Type.Object(
    {
      api_key: Type.Optional(
        Type.String({
          description: 'Without it, and without email and password, the response is 401.',
          examples: ['pcsk_4d5e6f_secret'],
        }),
      ),
      ...PASSWORD_FIELDS,
    },
    { examples: [{ api_key: 'pcsk_4d5e6f_secret' }] },
  ),
  success: loginSuccess,
  faults: [
    'invalid-argument',
    'body-not-json',
    'unauthenticated',
    'sign-in-refused',
    'too-many-attempts',
    'overloaded',
  ],
  handle,
};

export const logInAtWorkspace: IdentityEndpoint = {
  ...logIn,
  id: 'log_in_at_workspace',
  path: '/api/auth/login',
  summary: 'Log in (workspace path)',
};
