// Routes in the OpenAI form: JSON bodies with room for many texts, and streamed responses.
import type { FastifyRequest } from 'fastify';
import { boundStructures } from '../../api/json-structures.ts';
import {
  OPENAI_REQUEST_BYTES_MAX,
  OPENAI_STRUCTURES_MAX,
  type OpenAiEndpoint,
  type OpenAiServices,
} from '../../api/rest/openai/openai-endpoint.ts';
import { fault } from '../../domain/faults.ts';
import { mayHaveBody } from '../app.ts';
import { parseJsonBody } from '../bodies/json-body.ts';
import { clientGoneSignal } from '../client-gone.ts';
import { type BodyContext, type RouteParts, readBytes, requireJson, sendAny } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export function addOpenAiRoutes(parts: RouteParts<OpenAiEndpoint, OpenAiServices>): void {
  const { app, context, endpoints, services } = parts;
  for (const endpoint of endpoints) {
    const { credential, versioning, method, path } = endpoint;
    app.route({
      method,
      url: routerPath(path),
      config: { credential, versioning, endpoint },
      handler: async (request, reply) => {
        const signal = clientGoneSignal(reply);
        const body = await bodyOf(request, context);
        // The steps before guarantee this; checked again because access control depends on it.
        if (request.access === null) throw fault('unauthenticated');
        const call = { version: null, access: request.access, params: urlFields(request).params };
        return sendAny(reply, await endpoint.handle({ ...call, body, signal, services }), context.answerMs);
      },
    });
  }
}

/** @throws unsupported-media-type, body-not-json, and as readBytes */
async function bodyOf(request: FastifyRequest, context: BodyContext): Promise<unknown> {
  if (!mayHaveBody(request)) return undefined;
  requireJson(request);
  const bytes = await readBytes(request, { ...context, bodyBytesMax: OPENAI_REQUEST_BYTES_MAX });
  boundStructures(bytes, OPENAI_STRUCTURES_MAX);
  return parseJsonBody(bytes).value;
}
