// POST /auth/login and /api/auth/login: exchanges an API key for a session token.
import { fault, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { IdentityCall, IdentityEndpoint } from './identity-endpoint.ts';

async function handle({ fields, services: { identities } }: IdentityCall): Promise<Reply> {
  const key = Object.hasOwn(fields, 'api_key') ? fields.api_key : undefined;
  if (key !== undefined && key !== null && typeof key !== 'string') throw invalid('api_key must be a string');
  const issued = await identities.logIn(key ?? undefined);
  if (issued === undefined) throw fault('unauthenticated');
  const { token, session } = issued;
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

export const logIn: IdentityEndpoint = {
  id: 'log_in',
  method: 'POST',
  path: '/auth/login',
  tag: 'Identity',
  summary: 'Log in',
  description: 'Returns a session token for an API key, valid for an hour and no longer than the key.',
  since: '2026-07',
  permission: null,
  credential: 'none',
  versioning: 'identity',
  forms: false,
  errors: 'identity',
  bodyOptional: true,
  body: Type.Object({
    api_key: Type.Optional(
      Type.String({ description: 'If absent, the response is 401.', examples: ['pcsk_4d5e6f_secret'] }),
    ),
  }),
  success: {
    status: 200,
    description: 'The session.',
    schema: Type.Object({
      token: Type.String({ examples: ['eyJhbGciOiJIUzI1NiJ9.example'] }),
      principal: Type.String({
        description: 'The id of the API key.',
        examples: ['4d5e6f70-8a9b-4c0d-9e1f-2a3b4c5d6e7f'],
      }),
      project_id: Type.String({ examples: ['2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d'] }),
      project_name: Type.Union([Type.String(), Type.Null()], {
        description: 'Null when the project no longer exists.',
        examples: ['search'],
      }),
    }),
  },
  faults: ['invalid-argument', 'body-not-json', 'unauthenticated'],
  handle,
};

export const logInAtWorkspace: IdentityEndpoint = {
  ...logIn,
  id: 'log_in_at_workspace',
  path: '/api/auth/login',
  summary: 'Log in (workspace path)',
};
