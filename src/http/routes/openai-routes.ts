// Routes in the OpenAI form: JSON bodies with room for many texts, and streamed responses.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { boundStructures } from '../../api/json-structures.ts';
import { ASSISTANT_PREFIX } from '../../api/rest/openai/model-ids.ts';
import {
  OPENAI_REQUEST_BYTES_MAX,
  OPENAI_STRUCTURES_MAX,
  type OpenAiEndpoint,
  type OpenAiServices,
} from '../../api/rest/openai/openai-endpoint.ts';
import type { Permission } from '../../domain/administration/permissions.ts';
import { fault } from '../../domain/faults.ts';
import { isJsonObject } from '../../domain/json.ts';
import { mayInProject } from '../access/admission.ts';
import { type AppContext, forward } from '../app.ts';
import { parseJsonBody } from '../bodies/json-body.ts';
import { mayHaveBody } from '../bodies/may-have-body.ts';
import { clientGoneSignal } from '../client-gone.ts';
import { whereOf } from '../forwarding/where.ts';
import { requestMemory } from '../request-memory.ts';
import { type BodyContext, type RouteParts, readBytes, requireJson, sendAny } from './base-routes.ts';
import { namedParams, openRouterPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export function addOpenAiRoutes(parts: RouteParts<OpenAiEndpoint, OpenAiServices>): void {
  const { app, context, endpoints, services } = parts;
  for (const endpoint of endpoints) {
    const { credential, versioning, method } = endpoint;
    app.route({
      method,
      url: openRouterPath(endpoint),
      config: { credential, versioning, endpoint },
      handler: async (request, reply) => {
        const signal = clientGoneSignal(reply);
        const { lease, hold, expect } = requestMemory(context, reply);
        const { body, bytes } = await bodyOf(request, { ...context, lease });
        // The steps before guarantee this; checked again because access control depends on it.
        if (request.access === null) throw fault('unauthenticated');
        if (
          whereOf(endpoint, false) === 'body' &&
          (await isForwarded(context, { request, reply, body, bytes }))
        )
          return reply;
        const call = {
          version: null,
          access: request.access,
          may: (permission: Permission) => mayInProject(context.authenticators, request, permission),
          params: namedParams(endpoint, urlFields(request).params),
        };
        return sendAny(
          reply,
          await endpoint.handle({ ...call, body, signal, hold, expect, services }),
          context,
        );
      },
    });
  }
}

/** @throws unsupported-media-type, body-not-json, and as readBytes */
async function bodyOf(
  request: FastifyRequest,
  context: BodyContext,
): Promise<{ readonly body: unknown; readonly bytes: Uint8Array }> {
  if (!mayHaveBody(request)) return { body: undefined, bytes: new Uint8Array() };
  requireJson(request);
  const bytes = await readBytes(request, { ...context, bodyBytesMax: OPENAI_REQUEST_BYTES_MAX });
  boundStructures(bytes, OPENAI_STRUCTURES_MAX);
  return { body: parseJsonBody(bytes).value, bytes };
}

interface ReadRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: unknown;
  readonly bytes: Uint8Array;
}

/** Whether another node has answered, which has the assistant that the body names as its model. */
async function isForwarded(
  context: AppContext,
  { request, reply, body, bytes }: ReadRequest,
): Promise<boolean> {
  const model = isJsonObject(body) ? body.model : undefined;
  if (context.forwarding === undefined || typeof model !== 'string') return false;
  const name = model.startsWith(ASSISTANT_PREFIX) ? model.slice(ASSISTANT_PREFIX.length) : model;
  const destination = await context.forwarding.ofAssistant(request, name);
  if (destination === null) return false;
  await forward(context, { request, reply, destination, body: bytes });
  reply.hijack();
  return true;
}
