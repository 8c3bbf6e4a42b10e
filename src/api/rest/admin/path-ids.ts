// The ids in the paths of administration endpoints, and the faults for those that name nothing.
import type { Ref } from '../../../catalog/port.ts';
import { checkUuid } from '../../../domain/administration/names.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall } from './admin-endpoint.ts';

type CallPlace = Pick<AdminCall, 'access' | 'params'>;

/** Path schema of an endpoint that is about one thing. */
export function idParams(name: string, description: string) {
  return Type.Object({ [name]: Type.String({ format: 'uuid', description }) });
}

/** The thing a path names, within the caller's organization. @throws invalid-argument for what is no UUID */
export function pathRef({ access, params }: CallPlace, name: string): Ref {
  return { organizationId: access.organizationId, id: checkUuid(params[name] ?? '', name) };
}
