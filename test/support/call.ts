// One raw HTTP/1.1 request, as curl would send it: nothing added, nothing retried.
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { checkResponse } from './openapi-check.ts';
import { HANG_MS } from './until.ts';

export interface CallOptions {
  /** Null sends none. */
  readonly key?: string | null;
  /** Value of X-Service-Api-Version. */
  readonly version?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
  /** A connection of one's own. */
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined when it is empty or no JSON. */
  readonly body: unknown;
}

/**
 * Resolves to the answer, whatever its status.
 * @throws when the connection fails, nothing comes, or the OpenAPI document does not describe the answer
 */
export function call(base: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { key, version, headers = {}, body, agent } = options;
  const payload = payloadOf(body);
  const sent = {
    ...(key === undefined || key === null ? {} : { 'api-key': key }),
    ...(version === undefined ? {} : { 'x-service-api-version': version }),
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(payload.byteLength) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${base}${path}`,
      { method, headers: sent, ...(agent && { agent }) },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode: status = 0, headers } = answer;
          try {
            const header = (name: string) => headers[name]?.toString();
            checkResponse({ method, path, headers: sent }, { status, header, text });
            resolve({ status, headers, text, body: parse(text) });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    outgoing.setTimeout(HANG_MS, () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.once('error', reject);
    outgoing.end(payload);
  });
}

function payloadOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
