// The requests that tools of MCP make for their caller, and the memory of what they answer.
import type { FastifyRequest } from 'fastify';
import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { Fault, fault } from '../../domain/faults.ts';
import { membersOf } from '../../domain/json.ts';
import type { Send } from '../../mcp/call-tool.ts';
import { ToolError, type ToolRequest } from '../../mcp/tool.ts';
import { traceHeaders } from '../../platform/telemetry/trace-context.ts';
import { presentedKey } from '../access/authenticate.ts';
import type { HoldAnswer } from '../request-memory.ts';
import { AnswerTooLarge, type InnerRequests } from './inner-requests.ts';

const FIRST_ERROR_STATUS = 400;
/**
 * Less than this is no more than any request holds. Writes answer less: what they have done is never refused, however much
 * was read before.
 */
const LARGE_BYTES = 64 * 1024;

export interface Sender {
  /** Of the caller. */
  readonly request: Pick<FastifyRequest, 'headers' | 'host' | 'ip' | 'trace'>;
  readonly inner: Pick<InnerRequests, 'ask'>;
  readonly hold: HoldAnswer;
}

/**
 * Sends the requests of tools with the caller's key. What they answer is held until the caller has its own answer.
 * @throws unauthenticated without a key
 */
export function sendAs({ request, inner, hold }: Sender): Send {
  const key = presentedKey(request.headers);
  if (key === undefined) throw fault('unauthenticated');
  let heldBytes = 0;
  return async ({ method, path, body, lines }: ToolRequest, signal) => {
    const text =
      lines === undefined ? JSON.stringify(body) : lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const asked = inner.ask({
      method,
      path,
      headers: {
        host: request.host,
        // In the caller's trace, below this message.
        ...(request.trace !== null && traceHeaders(request.trace)),
        'api-key': key,
        'x-pinecone-api-version': NEWEST_API_VERSION,
        'content-type': lines === undefined ? 'application/json' : 'application/x-ndjson',
      },
      ...(text !== undefined && { body: new TextEncoder().encode(text) }),
      address: request.ip,
      signal,
    });
    const answered = await asked.catch((error: unknown) => {
      throw error instanceof AnswerTooLarge ? new ToolError(error.message) : error;
    });
    const { length } = answered.text;
    heldBytes += length;
    const mayRefuse = method === 'GET' || length >= LARGE_BYTES;
    if (mayRefuse && heldBytes >= LARGE_BYTES) holdOrRefuse(hold, heldBytes);
    const content: unknown = answered.text === '' ? {} : JSON.parse(answered.text);
    if (answered.status < FIRST_ERROR_STATUS) return membersOf(content);
    const { error, message } = membersOf(content);
    throw new ToolError(String(membersOf(error).message ?? message), answered.status);
  };
}

/** @throws ToolError where there is no room */
function holdOrRefuse(hold: HoldAnswer, bytes: number): void {
  try {
    hold(bytes);
  } catch (error) {
    throw error instanceof Fault ? new ToolError(error.message, error.status) : error;
  }
}
