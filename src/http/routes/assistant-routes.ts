// The routes of assistants, under both prefixes: JSON bodies, uploads that are read as they come, answers that are
// sent as they are made.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { QueryValues, StreamedReply } from '../../api/endpoint.ts';
import {
  type AssistantEndpoint,
  type AssistantReply,
  type AssistantServices,
  pathsOf,
  type UploadForm,
} from '../../api/rest/assistants/assistant-endpoint.ts';
import { fault } from '../../domain/faults.ts';
import { readmit } from '../access/admission.ts';
import type { AppContext } from '../app.ts';
import { readAssistantBody } from '../bodies/assistant-body.ts';
import { type OpenedForm, openUploadForm } from '../bodies/upload-form.ts';
import { leavingOf } from '../leaving.ts';
import { type RouteParts, send } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';

export function addAssistantRoutes(parts: RouteParts<AssistantEndpoint, AssistantServices>): void {
  const { app, context, endpoints, services } = parts;
  for (const endpoint of endpoints) {
    const { credential = 'api-key', versioning } = endpoint.kind === 'link' ? endpoint : {};
    for (const path of pathsOf(endpoint)) {
      app.route({
        method: endpoint.method,
        url: routerPath(path),
        config: { credential, endpoint, ...(versioning && { versioning }) },
        handler: async (request, reply) =>
          sendAny(reply, await answer({ request, reply, context, endpoint, services }), context.answerMs),
      });
    }
  }
}

interface Asked {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: AppContext;
  readonly endpoint: AssistantEndpoint;
  readonly services: AssistantServices;
}

async function answer({ request, reply, context, endpoint, services }: Asked): Promise<AssistantReply> {
  const call = {
    version: request.version,
    params: request.params as Readonly<Record<string, string>>,
    query: request.query as QueryValues,
    signal: leavingOf(reply),
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
  return endpoint.handle({ ...call, access: accessOf(request), body, bodyText });
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

/** Of the caller as known now: reading a body lets it in anew. */
function accessOf({ access }: FastifyRequest) {
  // Unreachable without the steps before; said again because everything hangs on them.
  if (access === null) throw fault('unauthenticated');
  return access;
}

async function sendAny(
  reply: FastifyReply,
  answered: AssistantReply,
  answerMs: number,
): Promise<FastifyReply> {
  return 'content' in answered ? sendStream(reply, answered, answerMs) : send(reply, answered);
}

/**
 * What fails before the first piece is still answered like any refusal. Pieces are asked for as the client takes
 * them, and it has the time of a whole answer for each; when it goes, the content is told to end.
 */
async function sendStream(
  reply: FastifyReply,
  { status, headers, content }: StreamedReply,
  answerMs: number,
): Promise<FastifyReply> {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  async function* all(): AsyncGenerator<Uint8Array | string> {
    for (let piece = first; piece.done !== true; piece = await pieces.next()) {
      const late = setTimeout(() => reply.raw.destroy(), answerMs).unref();
      try {
        yield piece.value;
      } finally {
        clearTimeout(late);
      }
    }
  }
  const stream = Readable.from(all(), { objectMode: false });
  // Not left to the loop above: nobody may ever begin it.
  stream.once('close', () => {
    Promise.try(() => pieces.return?.()).catch(() => undefined);
  });
  return reply.code(status).headers(headers).send(stream);
}
