// What a node of several does before it answers: it refuses while its knowledge is too old, and asks before it says no.
import type { EndpointDetails } from '../api/endpoint.ts';
import type { ConsoleSessions } from '../app/access/console-sessions.ts';
import { fault } from '../domain/faults.ts';
import { type Authenticators, presentedKey } from './access/authenticate.ts';
import { hostOf, isConsoleRequest } from './access/console-caller.ts';
import { presentedCookie } from './access/session-cookie.ts';
import type { AnyRequest } from './connections/protocol-handlers.ts';
import type { Target } from './index-addresses.ts';

/** Knowledge is half a second old at most where all goes well. */
const AGE_MS_MAX = 5_000;

/** How this node learns what others have changed. */
export interface Following {
  /** Resolves when it knows what was committed before the call. */
  catchUp(): Promise<void>;
  /** Of its knowledge, in milliseconds. */
  ageMs(): number;
}

/** @throws database-unavailable when the knowledge is older than its bound */
export function requireCurrent({ ageMs }: Pick<Following, 'ageMs'>): void {
  if (ageMs() > AGE_MS_MAX)
    throw fault('database-unavailable', { reason: 'this node has not heard from it for a while' });
}

export interface KnownParts {
  readonly authenticators: Pick<Authenticators, 'principals' | 'tokens'>;
  readonly sessions: Pick<ConsoleSessions, 'has'>;
  readonly targetOf: (request: Pick<AnyRequest, 'headers' | 'socket'>) => Target;
  /** Paths to which credentials are sent in bodies. */
  readonly signInPaths: ReadonlySet<string>;
}

/**
 * False for requests to an index, with a credential, or of a session that another node may have made a moment ago.
 * Synchronous but for tokens.
 */
export function isKnown(
  request: AnyRequest,
  { authenticators, sessions, targetOf, signInPaths }: KnownParts,
): boolean | Promise<boolean> {
  if (request.method === 'POST' && signInPaths.has(pathOf(request))) return false;
  const target = targetOf(request);
  if (target.kind === 'index' && (target.index?.state ?? 'Initializing') === 'Initializing') return false;
  if (isConsoleRequest(request.headers)) {
    const cookie = presentedCookie(request.headers, hostOf(request.headers));
    if (cookie !== undefined && !sessions.has(cookie)) return false;
  }
  const credential = presentedKey(request.headers);
  if (credential === undefined || authenticators.principals.authenticateKey(credential) !== undefined) {
    return true;
  }
  return isToken(authenticators.tokens, credential);
}

/** Passes a request on: at once where everything is known, else after asking what others have changed. */
export function whenKnown(
  following: Pick<Following, 'catchUp'>,
  known: boolean | Promise<boolean>,
  pass: () => void,
): void {
  if (known === true) pass();
  else {
    // What a token cannot be read for is the business of whoever authenticates the request.
    const asked = Promise.resolve(known).catch(() => false);
    void asked.then((isKnown) => (isKnown ? undefined : following.catchUp())).then(pass);
  }
}

/** The paths of endpoints that take a credential in the body. */
export function signInPathsOf(
  endpoints: readonly Pick<EndpointDetails, 'credential' | 'method' | 'path'>[],
): ReadonlySet<string> {
  const open = endpoints.filter(({ credential, method }) => credential === 'none' && method === 'POST');
  return new Set(open.map(({ path }) => path));
}

async function isToken(tokens: Authenticators['tokens'], presented: string): Promise<boolean> {
  return ((await tokens.accessOf(presented)) ?? (await tokens.sessionOf(presented))) !== undefined;
}

function pathOf({ url = '' }: AnyRequest): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}
