// GET /api/auth: describes the identity of a session token.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { IdentityCall, IdentityEndpoint } from './identity-endpoint.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);

/** Also works for a deleted project. This server has no workspaces. */
async function handle({ session, services: { identities } }: IdentityCall): Promise<Reply> {
  if (session === null) throw fault('unauthenticated');
  const { user, projectId } = session;
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      user,
      project_id: projectId,
      project_name: identities.projectName(projectId),
      workspace_name: null,
      org_id: null,
    },
  };
}

export const checkIdentity: IdentityEndpoint = {
  id: 'check_identity',
  method: 'GET',
  path: '/api/auth',
  tag: 'Identity',
  summary: 'Check an identity',
  description:
    "Takes a session token or a person's access token as a bearer token, or an API key. The response has the API version in use.",
  since: '2026-07',
  permission: null,
  credential: 'session',
  versioning: 'identity',
  forms: false,
  errors: 'identity',
  success: {
    status: 200,
    description: 'The identity.',
    schema: Type.Object({
      user: Type.String({
        description: 'Email address of a person, or id of an API key.',
        examples: ['4d5e6f70-8a9b-4c0d-9e1f-2a3b4c5d6e7f'],
      }),
      project_id: Type.String({
        description: 'Empty for a person without a project.',
        examples: ['2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d'],
      }),
      project_name: {
        ...OrNull,
        description: 'Null when the project no longer exists.',
        examples: ['search'],
      },
      workspace_name: { ...OrNull, description: 'Always null on this server.', examples: [null] },
      org_id: { ...OrNull, description: 'Always null on this server.', examples: [null] },
    }),
  },
  faults: [],
  handle,
};
