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

export const RoleBindingObject = Type.Object({
  id: Type.String({ format: 'uuid' }),
  principal_type: PrincipalTypeName,
  principal_id: Type.String({ format: 'uuid' }),
  resource_type: choice(RESOURCE_TYPES),
  resource_id: Type.String({ description: 'Id of the organization or the project.' }),
  role: choice(ROLES),
  created_at: Type.String({ format: 'date-time' }),
});

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
