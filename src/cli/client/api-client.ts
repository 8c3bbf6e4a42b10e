// A client of any server with this API: sends and reads JSON, retries while the server is busy, explains refusals.

import { setTimeout as pause } from 'node:timers/promises';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { CliProblem, EXIT_MISUSED, EXIT_UNREACHABLE, type Io, type ParsedWords } from '../command.ts';
import { connectionOf } from './connection.ts';
import { fetchWithin, type TimeLimits } from './fetch-within.ts';
import type { FileContent } from './file-content.ts';
import { connectionProblem, isUnreadable, isUntrusted, isWrongAddress } from './network-errors.ts';

const VERSION = '2025-10';
/** What a token for administration is for. */
const TOKEN_AUDIENCE = 'https://api.pinecone.io/';
const ATTEMPTS_MAX = 6;
const FIRST_PAUSE_MS = 500;
/** Longer pauses that a server requests are cut to this. */
const PAUSE_MS_MAX = 60_000;
/** Downloads may take as long as they do not stall. */
const TIME_LIMITS: TimeLimits = { headMs: 120_000, idleMs: 120_000 };
/** Of a file, which takes its time on the way. */
const FILE_HEAD_MS = 3_600_000;

export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is: a file, or lines of JSON as NDJSON. */
  readonly content?: FileContent | string;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
  /** Never retried once the server may have carried it out. */
  readonly isOnce?: boolean;
  /** The API version; default VERSION. */
  readonly version?: string;
}

/** A refusal with the server's message. */
export class Refusal extends CliProblem {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ApiClientOptions {
  readonly url: string;
  /** The credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Reads answers; default JSON.parse. */
  readonly parse?: (text: string) => unknown;
  readonly limits?: TimeLimits;
}

export class ApiClient {
  readonly url: string;
  readonly #options: ApiClientOptions;
  /** Shared with the clients of the server's indexes. */
  readonly #server: { hasAnswered: boolean };

  /** @throws CliProblem if the URL is not an HTTP URL */
  constructor(options: ApiClientOptions, server = { hasAnswered: false }) {
    const { url } = options;
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new CliProblem(`${url} is not a URL: expected http:// or https:// at its start.`, EXIT_MISUSED);
    }
    this.url = url.replace(/\/+$/, '');
    this.#options = options;
    this.#server = server;
  }

  /** The client of the command's server. @throws CliProblem without a key */
  static async of(words: ParsedWords, io: Io): Promise<ApiClient> {
    const { url, apiKey } = await connectionOf(words, io);
    if (apiKey === undefined || apiKey === '') {
      throw new CliProblem('No API key: set PINYON_API_KEY, pass --api-key or add a profile.', EXIT_MISUSED);
    }
    return new ApiClient({ url, headers: { 'api-key': apiKey }, signal: io.signal });
  }

  /** A client with the same key at another address. @param headers sent with every call, beside the credentials */
  at(host: string, headers: ApiClientOptions['headers'] = {}): ApiClient {
    const url = host.includes('://') ? host : `https://${host}`;
    const all = { ...this.#options.headers, ...headers };
    return new ApiClient({ ...this.#options, url, headers: all }, this.#server);
  }

  /** A client of an index's own address. @throws Refusal if there is no such index */
  async ofIndex(name: string): Promise<ApiClient> {
    const index = await this.call('GET', `/indexes/${encodeURIComponent(name)}`);
    return this.at(String(index.host));
  }

  /** The client of administration, with a token of the command's service account. @throws CliProblem */
  static async ofOwner(words: ParsedWords, io: Io): Promise<ApiClient> {
    const { url, clientId, clientSecret } = await connectionOf(words, io);
    if (!clientId || !clientSecret) {
      const sentence =
        'No service account: set PINYON_CLIENT_ID and PINYON_CLIENT_SECRET, pass --client-id and --client-secret, or add them to a profile.';
      throw new CliProblem(sentence, EXIT_MISUSED);
    }
    const anyone = new ApiClient({ url, headers: {}, signal: io.signal });
    const { access_token: token } = await anyone.call('POST', '/oauth/token', {
      body: {
        grant_type: 'client_credentials',
        audience: TOKEN_AUDIENCE,
        client_id: clientId,
        client_secret: clientSecret,
      },
    });
    return new ApiClient({ url, headers: { authorization: `Bearer ${token}` }, signal: io.signal });
  }

  /**
   * The JSON of the response; empty if it has no body. `Reply` is what the interface documents.
   * @throws Refusal, CliProblem
   */
  async call<Reply extends object = JsonObject>(
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Reply> {
    const answer = await this.#ask(method, path, options);
    const text = await answer.text();
    try {
      const { parse = JSON.parse } = this.#options;
      return parse(text === '' ? '{}' : text) as Reply;
    } catch (error) {
      const what = `the response to ${method} ${path} is not JSON`;
      throw new CliProblem(
        `The server at ${this.url} is not a vector database: ${what}.`,
        EXIT_UNREACHABLE,
        error,
      );
    }
  }

  /** The bytes of a response as they arrive. @throws Refusal, CliProblem */
  download(path: string): Promise<AsyncIterable<Uint8Array>> {
    return this.stream('GET', path);
  }

  /** As `download`, for any request. @throws Refusal, CliProblem */
  async stream(method: string, path: string, options: CallOptions = {}): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#ask(method, path, options);
    return body ?? (async function* () {})();
  }

  async #ask(method: string, path: string, options: CallOptions): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const { answer, error } = await this.#tryOnce(method, path, options);
      this.#options.signal.throwIfAborted();
      options.signal?.throwIfAborted();
      if (typeof options.content === 'object' && isUnreadable(error))
        throw unreadable(options.content, error);
      this.#server.hasAnswered ||= answer !== undefined;
      if (answer?.ok === true) return answer;
      const mayRepeat = options.isOnce === true ? isUntouched(answer) : isPassing(answer);
      // Before the first response, the address is most likely wrong; later the server may be restarting.
      const isHopeless =
        isUntrusted(error) || (!this.#server.hasAnswered && attempt === 2 && isWrongAddress(error));
      if (!mayRepeat || isHopeless || attempt === ATTEMPTS_MAX) {
        if (answer !== undefined) throw new Refusal(answer.status, await sentenceOf(answer));
        throw new CliProblem(connectionProblem(error, this.url), EXIT_UNREACHABLE, error);
      }
      await answer?.body?.cancel();
      await pause(pauseMs(answer, attempt), undefined, { signal: this.#options.signal });
    }
  }

  async #tryOnce(
    method: string,
    path: string,
    { body, content, signal: callSignal, version = VERSION }: CallOptions,
  ): Promise<{ readonly answer?: Response; readonly error?: unknown }> {
    const { headers, signal, limits = TIME_LIMITS } = this.#options;
    const headMs = typeof content === 'object' ? FILE_HEAD_MS : limits.headMs;
    const type = typeOf(content, body);
    const ready = typeof content === 'object' ? content.bytes : content;
    const sent = ready ?? (body === undefined ? undefined : JSON.stringify(body));
    try {
      const init = {
        method,
        headers: { ...headers, 'x-pinecone-api-version': version, ...type },
        signal: AbortSignal.any([signal, ...(callSignal ? [callSignal] : [])]),
        ...(sent === undefined ? {} : { body: sent }),
      };
      return { answer: await fetchWithin(`${this.url}${path}`, init, { ...limits, headMs }) };
    } catch (error) {
      return { error };
    }
  }
}

/** Whether the request was certainly not carried out. Gateways answer 5xx also for what they have passed on. */
function isUntouched(answer: Response | undefined): boolean {
  return answer?.status === 429;
}

/** Whether a later attempt may succeed. */
function isPassing(answer: Response | undefined): boolean {
  return answer === undefined || [429, 500, 502, 503, 504].includes(answer.status);
}

function pauseMs(answer: Response | undefined, attempt: number): number {
  const wished = Number(answer?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const usual = FIRST_PAUSE_MS * 2 ** (attempt - 1);
  return Math.min(PAUSE_MS_MAX, wished > 0 ? wished : usual);
}

async function sentenceOf(answer: Response): Promise<string> {
  const text = await answer.text();
  let said = text.trim();
  try {
    const { error, message, error_description: description } = membersOf(JSON.parse(text));
    said = String(membersOf(error).message ?? message ?? description ?? said);
  } catch {
    // Gateways respond in plain text.
  }
  const sentence = said === '' ? `The server responded with status ${answer.status}` : said;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function typeOf(content: CallOptions['content'], body: unknown): Readonly<Record<string, string>> {
  if (typeof content === 'string') return { 'content-type': 'application/x-ndjson' };
  if (content !== undefined) return { 'content-type': content.type };
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

function unreadable({ path }: FileContent, error: unknown): CliProblem {
  const reason = 'it has changed since the command began, or its disk fails';
  return new CliProblem(`${path} cannot be read: ${reason}.`, undefined, error);
}
