// The session of the console as its endpoints answer it.
import type { ConsoleSession } from '../../../domain/administration/console-session.ts';
import type { PermissionSet } from '../../../domain/administration/permissions.ts';
import { Type } from '../../schema/type.ts';

export const NO_STORE = { 'cache-control': 'no-store' };

export function sessionToWire(session: ConsoleSession, release: string): object {
  const { principal, user, organizationId, permissions, projects, endsAt } = session;
  return {
    principal: { type: principal.type, id: principal.id },
    user,
    organization_id: organizationId,
    permissions: namesOf(permissions),
    projects: projects.map(({ id, name, permissions: own }) => ({ id, name, permissions: namesOf(own) })),
    ends_at: endsAt,
    version: release,
  };
}

function namesOf(permissions: PermissionSet): readonly string[] {
  return [...permissions];
}

const Permissions = (description: string) =>
  Type.Array(Type.String(), { description, examples: [['control_plane::indexes::list']] });

export const SESSION_FIELDS = {
  principal: Type.Object({
    type: Type.Union([Type.Literal('api_key'), Type.Literal('user'), Type.Literal('service_account')]),
    id: Type.String({ examples: ['4d5e6f70-8a9b-4c0d-9e1f-2a3b4c5d6e7f'] }),
  }),
  user: Type.String({
    description: 'The e-mail address of a person, the client id of a service account, or the id of a key.',
    examples: ['ada@example.org'],
  }),
  organization_id: Type.String({ examples: ['7f8a9b0c-1d2e-4f3a-8b4c-5d6e7f8a9b0c'] }),
  permissions: Permissions('What the holder may do in the organization as a whole. Empty for API keys.'),
  projects: Type.Array(
    Type.Object({
      id: Type.String({ examples: ['2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d'] }),
      name: Type.String({ examples: ['search'] }),
      permissions: Permissions('What the holder may do in the project.'),
    }),
  ),
  ends_at: Type.String({
    description: 'When the session ends, however much it is used.',
    examples: ['2026-07-01T20:00:00.000Z'],
  }),
  version: Type.String({ description: 'The version of the server.', examples: ['0.2.0'] }),
};
