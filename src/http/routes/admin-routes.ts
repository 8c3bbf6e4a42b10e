// Routes of the administration: an access token, a JSON body, one call of the endpoint.

import type { AdminEndpoint, AdminServices } from '../../api/rest/admin/admin-endpoint.ts';
import type { ApiVersion } from '../../domain/api-version.ts';
import { fault } from '../../domain/faults.ts';
import { actorOf } from '../access-denial.ts';
import { type RouteParts, readJson, send } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

/** Used when the header is absent. */
const DEFAULT_VERSION: ApiVersion = '2026-04';

export function addAdminRoutes(parts: RouteParts<AdminEndpoint, AdminServices>): void {
  const { app, context, endpoints, services } = parts;
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { credential: 'access-token', endpoint },
      handler: async (request, reply) => {
        const body = await readJson(request, context);
        // The access as checked after the body arrived, not before.
        const access = request.caller?.organization;
        // Authentication guarantees this; checked again because access control depends on it.
        if (access === undefined) throw fault('unauthenticated');
        const answer = await endpoint.handle({
          access,
          actor: actorOf(request),
          requestId: request.id,
          version: request.version ?? DEFAULT_VERSION,
          ...urlFields(request),
          body: body.value,
          bodyText: body.text,
          services,
        });
        return send(reply, answer);
      },
    });
  }
}
