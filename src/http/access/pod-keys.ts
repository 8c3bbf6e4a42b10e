// Requests to pod indexes, which any key of the project may make where the settings say so, as on the public service.
import type { FastifyRequest } from 'fastify';
import type { Permission } from '../../domain/administration/permissions.ts';
import type { IndexDirectory } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import { urlFields } from '../routes/request-fields.ts';

const CREATE: Permission = 'control_plane::indexes::create';

export interface PodKeysOptions {
  readonly directory: Pick<IndexDirectory, 'byName'>;
  /** The index at a request's address. */
  readonly indexAt: (request: FastifyRequest) => Index | undefined;
}

/**
 * Returns a test for requests by an API key, or a session that one opened, that concern one existing pod index of its own
 * project. People and service accounts keep to their roles.
 */
export function podIndexRequests({
  directory,
  indexAt,
}: PodKeysOptions): (request: FastifyRequest) => boolean {
  return (request) => {
    const { caller, routeOptions } = request;
    if (caller?.principal.type !== 'api_key') return false;
    const { endpoint } = routeOptions.config;
    // A recovery is named after its index, and makes another one.
    if (endpoint?.permission === CREATE) return false;
    const projectId = caller.project?.access.projectId;
    if (projectId === undefined) return false;
    const isNamed = endpoint?.path.startsWith('/indexes/{index_name}') === true;
    const { index_name: name = '' } = isNamed ? urlFields(request).params : {};
    const index = isNamed ? directory.byName(projectId, name) : indexAt(request);
    return index?.deployment.kind === 'pod' && index.projectId === projectId;
  };
}
