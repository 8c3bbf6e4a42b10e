// Ids in the paths of administration endpoints.
import type { Ref } from '../../../catalog/port.ts';
import { checkUuid } from '../../../domain/administration/names.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall } from './admin-endpoint.ts';

type CallPlace = Pick<AdminCall, 'access' | 'params'>;

/** The path schema of an endpoint for one resource. */
export function idParams(name: string, description: string) {
  return Type.Object({ [name]: Type.String({ format: 'uuid', description }) });
}

/** The resource of a path, within the caller's organization. @throws invalid-argument unless it is a UUID */
export function pathRef({ access, params }: CallPlace, name: string): Ref {
  return { organizationId: access.organizationId, id: checkUuid(params[name] ?? '', name) };
}
