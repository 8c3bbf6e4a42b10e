// The wire form of API keys, and the roles they may have.
import { CREDENTIAL_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import type { ApiKey } from '../../../domain/administration/model.ts';
import {
  API_KEY_ROLES,
  type ApiKeyRole,
  DEFAULT_API_KEY_ROLES,
  isApiKeyRole,
} from '../../../domain/administration/roles.ts';
import { invalid } from '../../../domain/faults.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';
import { idParams } from './path-ids.ts';

export const ApiKeyObject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    project_id: Type.String({ format: 'uuid' }),
    roles: Type.Array(choice(API_KEY_ROLES)),
  },
  {
    title: 'ApiKey',
    examples: [
      {
        id: '4d5e6f70-8a9b-4c0d-9e1f-2a3b4c5d6e7f',
        name: 'backend',
        project_id: '2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d',
        roles: ['ProjectEditor'],
      },
    ],
  },
);

export const ApiKeyParams = idParams('api_key_id', 'Id of the API key.');

export const CredentialName = Type.String({
  minLength: 1,
  maxLength: CREDENTIAL_NAME_CHARS_MAX,
  description: 'Without control characters. Need not be unique.',
  examples: ['backend'],
});

export const CreateApiKeyBody = Type.Object({
  name: CredentialName,
  roles: Type.Optional(Type.Array(choice(API_KEY_ROLES), { default: [...DEFAULT_API_KEY_ROLES] })),
});

export const UpdateApiKeyBody = Type.Object({
  name: Type.Optional(CredentialName),
  roles: Type.Optional(Type.Array(choice(API_KEY_ROLES), { description: 'Replaces all roles of the key.' })),
});

export function apiKeyToWire({ id, name, projectId, roles }: ApiKey) {
  return { id, name, project_id: projectId, roles };
}

/** Drops duplicates and sorts in the order of the roles' table. @throws invalid-argument */
export function apiKeyRoles(names: readonly string[]): readonly ApiKeyRole[] {
  const wrong = names.find((name) => !isApiKeyRole(name));
  if (wrong !== undefined) throw invalid(`roles may hold ${API_KEY_ROLES.join(', ')} only`);
  return API_KEY_ROLES.filter((role) => names.includes(role));
}
