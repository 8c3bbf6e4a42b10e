// Routes of inference: JSON bodies larger than the control plane's, with a bound on their structures.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { boundStructures } from '../../api/json-structures.ts';
import {
  INFERENCE_REQUEST_BYTES_MAX,
  INFERENCE_STRUCTURES_MAX,
  type InferenceEndpoint,
  type InferenceServices,
} from '../../api/rest/inference/inference-endpoint.ts';
import { refuseHalfSurrogates } from '../../api/rest/records/parse-body.ts';
import { parseJsonBody } from '../bodies/json-body.ts';
import { mayHaveBody } from '../bodies/may-have-body.ts';
import { clientGoneSignal } from '../client-gone.ts';
import { requestMemory } from '../request-memory.ts';
import { type BodyContext, type RouteParts, readBytes, requireJson, send } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export function addInferenceRoutes(parts: RouteParts<InferenceEndpoint, InferenceServices>): void {
  const { app, endpoints, services } = parts;
  const { authenticators, bodies } = parts.context;
  const context: BodyContext = { authenticators, bodies, bodyBytesMax: INFERENCE_REQUEST_BYTES_MAX };
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { credential: 'api-key', endpoint },
      handler: async (request, reply) =>
        send(reply, await answer({ request, reply, context, endpoint, services })),
    });
  }
}

interface InferenceRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: BodyContext;
  readonly endpoint: InferenceEndpoint;
  readonly services: InferenceServices;
}

async function answer({ request, reply, context, endpoint, services }: InferenceRequest) {
  const { lease, hold, expect } = requestMemory(context, reply);
  const body = await bodyOf(request, { ...context, lease });
  return endpoint.handle({
    version: request.version,
    ...urlFields(request),
    body,
    signal: clientGoneSignal(reply),
    hold,
    expect,
    services,
  });
}

/** @throws unsupported-media-type, body-not-json, and as readBytes */
async function bodyOf(request: FastifyRequest, context: BodyContext): Promise<unknown> {
  if (!mayHaveBody(request)) return undefined;
  requireJson(request);
  const bytes = await readBytes(request, context);
  boundStructures(bytes, INFERENCE_STRUCTURES_MAX);
  const { value, text } = parseJsonBody(bytes);
  refuseHalfSurrogates(text, value);
  return value;
}
