// Requests to this server: with the session's token, again after a new sign-in, and with one form of errors.
import { signal } from '@preact/signals';
import { Problem, problemOf, UNREACHABLE } from './problem.ts';
import { isCurrent, type Scope, scopeNow, state, token } from './session.ts';

export interface CallOptions {
  /** A value to send as JSON; text, forms and files are sent as they are. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly version?: string;
  readonly signal?: AbortSignal;
  /** That of an action of several requests, taken when it began; by default that of the moment of the call. */
  readonly scope?: Scope;
}

export interface Answered<Body> {
  readonly body: Body;
  /** What the request took, as the page saw it. */
  readonly milliseconds: number;
  readonly requestId: string;
}

/** The version of the API that the console reads; its shapes contain the older ones. */
const VERSION = '2026-07';
const UNAUTHENTICATED = 401;
const BAD_REQUEST = 400;
const FORBIDDEN = 403;
const NO_CONTENT = 204;
/** Of a proxy that cannot reach the server. 504 is none of these: the server may be at work on a slow request. */
const PROXY_STATUSES: ReadonlySet<number> = new Set([502, 503]);
const RETRY_MS = 2_000;
const UNADDRESSABLE =
  'No address can name “.” or “..”: browsers leave them out. Clients that send the name in the body reach it.';
const LEFT = 'This was not sent: it was begun in another project, or by somebody else who was signed in.';

/** True while no server answers. */
export const isOffline = signal(false);
/** Grows when the server answers again, so that pages read anew. */
export const reconnections = signal(0);

/** Grows when the server refuses something for the lack of a right, so that rights are read anew. */
export const refusals = signal(0);

/** Those who wait for a new sign-in. */
const waiting: (() => void)[] = [];

/** Lets the requests go on that an expired session stopped. */
export function resumeCalls(): void {
  for (const resume of waiting.splice(0)) resume();
}

/** Resolves to the parsed body. @throws Problem */
export async function call<Body>(method: string, path: string, options: CallOptions = {}): Promise<Body> {
  return (await answered<Body>(method, path, options)).body;
}

/** A data request to an index of the project, through this origin. @throws Problem */
export function callIndex<Body>(
  index: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answered<Body>> {
  return answered<Body>(method, `data/${encodeURIComponent(index)}/${path}`, options);
}

/** A file of an index, as the server sends it. @throws Problem */
export async function requestIndex(
  index: string,
  path: string,
  options: CallOptions = {},
): Promise<Response> {
  const { response } = await requestSignedIn('GET', `data/${encodeURIComponent(index)}/${path}`, options);
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function answered<Body>(method: string, path: string, options: CallOptions): Promise<Answered<Body>> {
  const { response, startedAt } = await requestSignedIn(method, path, options);
  if (response.status === FORBIDDEN) refusals.value++;
  if (!response.ok) throw await problemOf(response);
  const text = response.status === NO_CONTENT ? '' : await response.text();
  return {
    // The server's own schemas describe its answers; tests compare the two.
    body: (text === '' ? undefined : JSON.parse(text)) as Body,
    milliseconds: performance.now() - startedAt,
    requestId: response.headers.get('x-request-id') ?? '',
  };
}

interface Begun {
  readonly response: Response;
  /** When the request that was answered had begun, by the clock of the page. */
  readonly startedAt: number;
}

/** One request; again after a new sign-in, where the session has ended. @throws Problem as `request` does */
export async function requestSignedIn(
  method: string,
  path: string,
  { scope = scopeNow(), ...options }: CallOptions = {},
): Promise<Begun> {
  for (;;) {
    const startedAt = performance.now();
    const response = await request(method, path, { ...options, scope });
    if (response.status !== UNAUTHENTICATED || state.value === 'out') return { response, startedAt };
    await signedInAgain();
  }
}

/**
 * One request, without any retry.
 * @throws Problem when no server answers, for a path that is not addressable, and where its scope is no longer that of
 * the page
 */
export async function request(
  method: string,
  path: string,
  { scope = scopeNow(), ...options }: CallOptions = {},
): Promise<Response> {
  const { body, query = {}, headers = {}, version = VERSION, signal: abort } = options;
  if (!isCurrent(scope)) throw new Problem(UNAUTHENTICATED, LEFT, '');
  if (!isAddressable(path)) throw new Problem(BAD_REQUEST, UNADDRESSABLE, '');
  const sent: Record<string, string> = {
    'x-service-api-version': version,
    'x-pinyon-session': token() ?? '',
    ...headers,
  };
  if (scope.project !== undefined) sent['x-pinyon-project'] = scope.project;
  const isPlain = typeof body === 'string' || body instanceof FormData || body instanceof Blob;
  if (body !== undefined && !isPlain) sent['content-type'] ??= 'application/json';
  try {
    const response = await fetch(addressOf(path, query), {
      method,
      headers: sent,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined ? {} : { body: isPlain ? body : JSON.stringify(body) }),
      ...(abort === undefined ? {} : { signal: abort }),
    });
    if (!isFromProxy(response)) return response;
    void response.body?.cancel();
  } catch (error) {
    if (abort?.aborted === true) throw error;
  }
  void waitForServer();
  throw new Problem(UNREACHABLE, 'The server does not answer.', '');
}

/** True where a proxy answers in place of the server, whose own refusals are JSON. */
function isFromProxy({ status, headers }: Response): boolean {
  return PROXY_STATUSES.has(status) && headers.get('content-type')?.includes('json') !== true;
}

/**
 * False for a path, or a segment of one, with a name that URLs resolve away, encoded or not: the request would go to
 * the path above it.
 */
export function isAddressable(path: string): boolean {
  return !path.split('/').some((segment) => segment === '.' || segment === '..');
}

/** Relative to the page, which a proxy may serve below a path. */
function addressOf(path: string, query: NonNullable<CallOptions['query']>): string {
  const url = new URL(path, document.baseURI);
  url.hash = '';
  for (const [name, values] of Object.entries(query)) {
    for (const value of typeof values === 'string' ? [values] : (values ?? []))
      url.searchParams.append(name, value);
  }
  return url.href;
}

function signedInAgain(): Promise<void> {
  // Of a session that is only remembered, the first look at it decides.
  if (state.value !== 'remembered') state.value = 'expired';
  return new Promise((resolve) => waiting.push(resolve));
}

async function waitForServer(): Promise<void> {
  if (isOffline.value) return;
  isOffline.value = true;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    const isUp = await fetch(addressOf('health', {}), { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isUp) continue;
    isOffline.value = false;
    reconnections.value++;
    return;
  }
}
