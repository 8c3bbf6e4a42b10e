// Routes of the control plane: the key's project, a JSON body, one call of the endpoint.

import type { ControlEndpoint, ControlServices } from '../../api/endpoint.ts';
import { refusesMoment } from '../../api/rest/records/as-of.ts';
import { fault } from '../../domain/faults.ts';
import { clientGoneSignal } from '../client-gone.ts';
import { type RouteParts, readJson, sendAny } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export function addControlRoutes(parts: RouteParts<ControlEndpoint, ControlServices>): void {
  const { app, context, endpoints, services } = parts;
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { credential: 'api-key', endpoint, refusesMoment: refusesMoment(endpoint) },
      handler: async (request, reply) => {
        const body = await readJson(request, context);
        const { access } = request;
        // Authentication guarantees this; checked again because access control depends on it.
        if (access === null) throw fault('unauthenticated');
        const answer = await endpoint.handle({
          access,
          version: request.version,
          ...urlFields(request),
          body: body.value,
          bodyText: body.text,
          services,
          signal: clientGoneSignal(reply),
        });
        return sendAny(reply, answer, context);
      },
    });
  }
}
