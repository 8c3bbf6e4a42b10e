// The wire form of role bindings.
import {
  PRINCIPAL_TYPES,
  type PrincipalType,
  type RoleBinding,
} from '../../../domain/administration/model.ts';
import { invalid } from '../../../domain/faults.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';
import { idParams } from './path-ids.ts';
import { RESOURCE_TYPES, ROLES } from './requested-grants.ts';

export const PrincipalTypeName = choice(PRINCIPAL_TYPES);

export const RoleBindingObject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    principal_type: PrincipalTypeName,
    principal_id: Type.String({ format: 'uuid' }),
    resource_type: choice(RESOURCE_TYPES),
    resource_id: Type.String({ description: 'Id of the organization or the project.' }),
    role: choice(ROLES),
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'RoleBinding',
    examples: [
      {
        id: '92a3b4c5-3a4b-4c5d-9e6f-7a8b9c0d1e2f',
        principal_type: 'service_account',
        principal_id: '5e6f7081-9a0b-4c1d-8e2f-3a4b5c6d7e8f',
        resource_type: 'project',
        resource_id: '2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d',
        role: 'ProjectEditor',
        created_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

export const RoleBindingParams = idParams('role_binding_id', 'Id of the role binding.');

export function roleBindingToWire({ id, principal, resourceType, resourceId, role, createdAt }: RoleBinding) {
  return {
    id,
    principal_type: principal.type,
    principal_id: principal.id,
    resource_type: resourceType,
    resource_id: resourceId,
    role,
    created_at: createdAt,
  };
}

/** @throws invalid-argument */
export function principalType(name: string): PrincipalType {
  const type = PRINCIPAL_TYPES.find((each) => each === name);
  if (type === undefined) throw invalid(`principal_type must be one of ${PRINCIPAL_TYPES.join(', ')}`);
  return type;
}
