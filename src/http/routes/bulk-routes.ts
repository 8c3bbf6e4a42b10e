// Routes of imports, exports and namespace aliases: on index addresses, with a JSON body, served on this thread.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BulkEndpoint, BulkServices } from '../../api/rest/import-export/bulk-endpoint.ts';
import { fault } from '../../domain/faults.ts';
import { type Index, isReady } from '../../domain/index-model.ts';
import type { AppContext } from '../app.ts';
import { readJson, send } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export interface BulkServing {
  readonly endpoints: readonly BulkEndpoint[];
  readonly services: BulkServices;
}

export interface BulkRouteParts extends BulkServing {
  readonly app: FastifyInstance;
  readonly context: AppContext;
  /** The index as it is now; undefined once it is deleted. */
  readonly indexAt: (request: FastifyRequest) => Index | undefined;
}

export function addBulkRoutes({ app, context, endpoints, services, indexAt }: BulkRouteParts): void {
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { endpoint },
      handler: async (request, reply) => {
        const { value: body } = await readJson(request, context);
        const { access } = request;
        // The steps before guarantee this; checked again because access control depends on it.
        if (access === null || request.index === null) throw fault('unauthenticated');
        // The index may have been deleted while the body was read.
        const index = indexAt(request);
        if (index?.id !== request.index.id || !isReady(index.state)) {
          throw fault('unknown-host', { host: request.host });
        }
        const answer = await endpoint.handle({
          access,
          index,
          version: request.version,
          ...urlFields(request),
          body,
          services,
        });
        if (!('content' in answer)) return send(reply, answer);
        return reply
          .code(answer.status)
          .headers(answer.headers)
          .send(Readable.from(answer.content, { objectMode: false }));
      },
    });
  }
}
