// Routes of assistants, under both prefixes: JSON bodies, streamed uploads and streamed responses.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type AssistantEndpoint,
  type AssistantReply,
  type AssistantServices,
  pathsOf,
  type UploadForm,
} from '../../api/rest/assistants/assistant-endpoint.ts';
import { refusesMoment } from '../../api/rest/records/as-of.ts';
import { versionForAssistants } from '../../domain/api-version.ts';
import { fault } from '../../domain/faults.ts';
import { readmit } from '../access/admission.ts';
import type { AppContext } from '../app.ts';
import { readAssistantBody } from '../bodies/assistant-body.ts';
import { type OpenedForm, openUploadForm } from '../bodies/upload-form.ts';
import { clientGoneSignal } from '../client-gone.ts';
import { requestMemory } from '../request-memory.ts';
import { type RouteParts, sendAny } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export function addAssistantRoutes(parts: RouteParts<AssistantEndpoint, AssistantServices>): void {
  const { app, context, endpoints, services } = parts;
  for (const endpoint of endpoints) {
    const { credential = 'api-key', versioning } = endpoint;
    for (const path of pathsOf(endpoint)) {
      app.route({
        method: endpoint.method,
        url: routerPath(path),
        config: {
          ...{ credential, endpoint, refusesMoment: refusesMoment(endpoint) },
          ...(versioning && { versioning }),
        },
        handler: async (request, reply) =>
          sendAny(reply, await answer({ request, reply, context, endpoint, services }), context),
      });
    }
  }
}

interface AssistantRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: AppContext;
  readonly endpoint: AssistantEndpoint;
  readonly services: AssistantServices;
}

async function answer({
  request,
  reply,
  context,
  endpoint,
  services,
}: AssistantRequest): Promise<AssistantReply> {
  const call = {
    version: versionForAssistants(request.version),
    ...urlFields(request),
    signal: clientGoneSignal(reply),
    services,
  };
  if (endpoint.kind === 'link') return endpoint.handle(call);
  if (endpoint.kind === 'upload') {
    const upload = uploadOf(request, context);
    try {
      return await endpoint.handle({ ...call, access: accessOf(request), openForm: upload.open });
    } finally {
      upload.close();
    }
  }
  const { value: body, text: bodyText } = await readAssistantBody(request, context);
  const { hold } = requestMemory(context, reply);
  return endpoint.handle({ ...call, access: accessOf(request), body, bodyText, hold });
}

function uploadOf(request: FastifyRequest, { authenticators }: Pick<AppContext, 'authenticators'>) {
  let form: OpenedForm | undefined;
  return {
    open: async (): Promise<UploadForm> => {
      form = await openUploadForm(request.raw, async () => readmit(authenticators, request));
      return form;
    },
    close: () => form?.close(),
  };
}

/** The caller's access as of now: reading a body checks it again. */
function accessOf({ access }: FastifyRequest) {
  // The steps before guarantee this; checked again because access control depends on it.
  if (access === null) throw fault('unauthenticated');
  return access;
}
