// Sends a request to a provider and reads its response: bounded, without redirects, with classified errors.
import { outgoingTraceHeaders } from '../../../platform/telemetry/tracing.ts';
import { ProviderError } from '../../provider-errors.ts';
import { refusalReason } from './refusal-reason.ts';
import { sendRequest } from './send-request.ts';

/** Ten times the size of the largest batch of vectors as decimal text. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const SECOND_MS = 1_000;
/** A provider that asks for a longer wait counts as down. */
const RETRY_AFTER_MS_MAX = 3_600 * SECOND_MS;

export interface PostOptions {
  readonly url: string;
  readonly key: string | null;
  /** Absent for GET. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
  /** Which errors give the provider's own reason, without secrets; none by default. */
  readonly givesReason?: 'always' | 'when-refused';
  /** Accepted media type; JSON by default. */
  readonly accept?: string;
}

/** Sends a request and returns the parsed response. @throws ProviderError, or the signal's reason */
export async function postJson(options: PostOptions): Promise<unknown> {
  return await readJsonAnswer(await openAnswer(options), options.signal);
}

/** Returns a successful response with its body unread. @throws ProviderError, or the signal's reason */
export async function openAnswer(options: PostOptions): Promise<Response> {
  const response = await send(options);
  if (response.ok) return response;
  const isGiven =
    options.givesReason === 'always' ||
    (options.givesReason === 'when-refused' && isRefusal(response.status));
  const reason = isGiven ? await refusalReason(response, options.key) : null;
  // An unread body would block the connection. One that broke off cannot be cancelled.
  await response.body?.cancel().catch(() => undefined);
  throw providerErrorOf(response, reason);
}

/** @throws ProviderError, or the signal's reason */
export async function readJsonAnswer(response: Response, signal: AbortSignal): Promise<unknown> {
  const text = await boundedText(response, signal);
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderError('broken', 'its answer is not JSON');
  }
}

async function send({ url, key, body, signal, accept = 'application/json' }: PostOptions): Promise<Response> {
  try {
    return await sendRequest(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'user-agent': 'pinyon',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        accept,
        'accept-encoding': 'identity',
        ...outgoingTraceHeaders(),
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch {
    signal.throwIfAborted();
    throw new ProviderError('down', 'its provider cannot be reached');
  }
}

async function boundedText(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > ANSWER_BYTES_MAX) break;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    signal.throwIfAborted();
    throw new ProviderError('down', 'its answer broke off');
  }
  if (bytes > ANSWER_BYTES_MAX) throw new ProviderError('broken', 'its answer is too large');
  return text + decoder.decode();
}

/** The request itself is wrong, which a retry would not change. */
function isRefusal(status: number): boolean {
  return status === 400 || status === 413 || status === 422;
}

/** @param reason in the provider's words; not given for a refused key, which such a reason would be about */
function providerErrorOf(response: Response, reason: string | null): ProviderError {
  const { status } = response;
  const because = reason === null ? '' : `: ${reason}`;
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'));
  if (status === 429) return new ProviderError('busy', 'its provider is busy', retryAfterMs);
  if (isRefusal(status)) {
    return new ProviderError(
      'refused',
      `its provider answered status ${status}${because}`,
      undefined,
      status,
    );
  }
  if (status === 500 || status === 502 || status === 503 || status === 504) {
    return new ProviderError('down', `its provider answered status ${status}`, retryAfterMs);
  }
  if (status === 401 || status === 403) {
    return new ProviderError('broken', 'its provider refuses the key it is configured with');
  }
  return new ProviderError('broken', `its provider answered status ${status}${because}`);
}

/** Parses the header, which contains seconds or a date; undefined for anything else. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  // Other numbers, like -1 or 2030, would be read as years.
  const isDate = /^[a-z]/i.test(text);
  if (!isDate && !/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  const ms = isDate ? Date.parse(text) - Date.now() : Number(text) * SECOND_MS;
  return Number.isNaN(ms) ? undefined : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ms));
}
