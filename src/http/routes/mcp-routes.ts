// The routes of the MCP server. It keeps no sessions: each message is answered by itself, with the rights of its key.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointDetails } from '../../api/endpoint.ts';
import { assistantMcpEndpoint, mcpEndpoint } from '../../api/rest/mcp/mcp-endpoint.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { DATA_REQUEST_BYTES_MAX } from '../../domain/limits.ts';
import { overloaded } from '../../domain/overload.ts';
import { HEADER_QUOTED_CHARS_MAX, quoted } from '../../domain/quoted.ts';
import type { Outcome } from '../../mcp/call-tool.ts';
import { toolsOfAssistant } from '../../mcp/tools/tools-of-assistant.ts';
import { PROJECT_TOOLS, type ToolSet, toolsFor } from '../../mcp/tools.ts';
import type { AppContext } from '../app.ts';
import { clientGoneSignal, whenClosed } from '../client-gone.ts';
import { failureOf } from '../failure.ts';
import type { InnerRequests } from '../mcp/inner-requests.ts';
import { sendAs } from '../mcp/tool-requests.ts';
import { requestMemory } from '../request-memory.ts';
import { readJson, type SendContext, sendAny } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { type UrlFields, urlFields } from './request-fields.ts';

/** Messages that are answered at the same time; each holds a request of its own. */
const MESSAGES_MAX = 64;
/** Of them, those of one caller: slow answers of assistants must not keep others out. */
const MESSAGES_OF_CALLER_MAX = 16;
const BOTH_TYPES = 'application/json, text/event-stream';

export interface McpMeter {
  add(
    projectId: string,
    call: { readonly tool: string; readonly outcome: Outcome; readonly milliseconds: number },
  ): void;
}

/** An address that speaks MCP. */
export interface McpAddress {
  readonly endpoint: EndpointDetails;
  /** What it offers to a request with these parameters in its path. */
  readonly toolSet: (params: UrlFields['params']) => ToolSet;
}

export const MCP_ADDRESSES: readonly McpAddress[] = [
  { endpoint: mcpEndpoint, toolSet: () => PROJECT_TOOLS },
  {
    endpoint: assistantMcpEndpoint,
    toolSet: ({ assistant_name: assistant = '' }) => toolsOfAssistant(assistant),
  },
];

export interface McpRouteParts {
  readonly app: FastifyInstance;
  readonly context: AppContext;
  readonly mode: 'read' | 'write';
  readonly release: string;
  readonly meter: McpMeter;
  readonly inner: InnerRequests;
}

export function addMcpRoutes(parts: McpRouteParts): void {
  const { app, context } = parts;
  const bodies = { ...context, bodyBytesMax: DATA_REQUEST_BYTES_MAX };
  const turns = new McpTurns();
  for (const { endpoint, toolSet } of MCP_ADDRESSES) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      // Tools answer from the present.
      config: { credential: 'bearer-key', versioning: 'ignored', endpoint, refusesMoment: true },
      handler: async (request, reply) => {
        refuseForeignOrigin(request);
        whenClosed(reply.raw, turns.take(request.access?.principalId ?? ''));
        const { value } = await readJson(request, bodies);
        // Batches were part of one old version of the protocol. Nobody sends them, and they have no bound.
        if (Array.isArray(value)) throw invalid('Batches of messages are not supported: send each by itself');
        const response = await answer(parts, { request, reply, message: value, toolSet });
        return acceptsEvents(request) ? sendWeb(reply, response, context) : sendJson(reply, response);
      },
    });
  }
}

/** Bounds the messages that are answered at the same time. */
class McpTurns {
  readonly #running = new Map<string, number>();
  #total = 0;

  /** Returns what ends the turn. @throws overloaded */
  take(callerId: string): () => void {
    const own = this.#running.get(callerId) ?? 0;
    if (this.#total >= MESSAGES_MAX || own >= MESSAGES_OF_CALLER_MAX) throw overloaded();
    this.#total += 1;
    this.#running.set(callerId, own + 1);
    return () => {
      const left = (this.#running.get(callerId) ?? 0) - 1;
      this.#total -= 1;
      if (left > 0) this.#running.set(callerId, left);
      else this.#running.delete(callerId);
    };
  }
}

interface McpMessage {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly message: unknown;
  readonly toolSet: McpAddress['toolSet'];
}

/** The response of the SDK to a message. */
async function answer(
  { context, mode, release, meter, inner }: McpRouteParts,
  { request, reply, message, toolSet }: McpMessage,
): Promise<Response> {
  const { createMcpHandler } = await import('../../mcp/sdk.ts');
  const { createMcpServer } = await import('../../mcp/mcp-server.ts');
  const { project } = request.caller ?? {};
  // Authentication guarantees this; checked again because access control depends on it.
  if (project === undefined) throw fault('unauthenticated');
  const { projectId } = project.access;
  const { tools, instructions } = toolSet(urlFields(request).params);
  const handler = createMcpHandler(
    () =>
      createMcpServer({
        tools: toolsFor(tools, { mayWrite: mode === 'write', permissions: project.permissions }),
        instructions,
        release,
        send: sendAs({ request, inner, hold: requestMemory(context, reply).hold }),
        onCall: (tool, outcome, milliseconds) => meter.add(projectId, { tool, outcome, milliseconds }),
        failed: (error) => failureOf(context.logger, request, error).message,
      }),
    // Nothing ever changes that a client could subscribe to.
    { maxSubscriptions: 0 },
  );
  const webRequest = new Request('http://localhost/mcp', {
    method: request.method,
    headers: webHeaders(request),
    signal: clientGoneSignal(reply),
    body: '{}',
  });
  return handler.fetch(webRequest, { parsedBody: message });
}

/** Browsers name the page that makes a request. Pages of other hosts have no business here, whatever key they got hold of. */
function refuseForeignOrigin({ headers, host }: FastifyRequest): void {
  const { origin } = headers;
  if (origin === undefined || URL.parse(origin)?.host === host) return;
  throw fault('origin-not-allowed', { origin: quoted(origin, HEADER_QUOTED_CHARS_MAX) });
}

function webHeaders({ headers }: FastifyRequest): Headers {
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && !name.startsWith(':') ? [[name, value]] : [],
  );
  // The credential is checked, and tools send it on by themselves.
  const kept = texts.filter(([name]) => name !== 'authorization' && name !== 'api-key');
  // Clients that do not accept events get the message of the one event.
  return new Headers([...kept.filter(([name]) => name !== 'accept'), ['accept', BOTH_TYPES]]);
}

async function sendWeb(reply: FastifyReply, response: Response, context: SendContext): Promise<FastifyReply> {
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers);
  if (body === null) return reply.code(status).headers(headers).send();
  // Both are the web's streams; only their types differ.
  return sendAny(reply, { status, headers, content: Readable.fromWeb(body as ReadableStream) }, context);
}

function acceptsEvents({ headers }: FastifyRequest): boolean {
  return /text\/event-stream/i.test(headers.accept ?? '');
}

/** For clients that know HTTP but not MCP's transport, as curl. */
async function sendJson(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const text = await response.text();
  // Not to the next end of a line as `.` takes it: texts have U+2028 unescaped, which ends no line of events.
  const [, data] = /^data: ([^\r\n]*)/m.exec(text) ?? [];
  if (text !== '') reply.type('application/json; charset=utf-8');
  return reply.code(response.status).send(data ?? (text === '' ? undefined : text));
}
