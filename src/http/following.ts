// What a node of several does before it answers: it refuses while its knowledge is too old, and asks before it says no.
import type { EndpointDetails } from '../api/endpoint.ts';
import type { ConsoleSessions } from '../app/access/console-sessions.ts';
import { fault } from '../domain/faults.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import type { Index } from '../domain/index-model.ts';
import { type Authenticators, presentedKey } from './access/authenticate.ts';
import { hostOf, isConsoleRequest } from './access/console-caller.ts';
import { presentedCookie } from './access/session-cookie.ts';
import type { AnyRequest } from './connections/protocol-handlers.ts';
import type { Target } from './index-addresses.ts';

/** Knowledge is half a second old at most where all goes well. */
const AGE_MS_MAX = 5_000;

/** Paths of requests about an index by its name. */
const NAMED = /^\/(?:indexes|data)\/([^/]+)/;

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
  readonly directory: Pick<IndexDirectory, 'byName'>;
  readonly targetOf: (request: Pick<AnyRequest, 'headers' | 'socket'>) => Target;
  /** Paths to which credentials are sent in bodies. */
  readonly signInPaths: ReadonlySet<string>;
  /** Whether it is the operator, whose key is in the settings; by default nobody is. */
  readonly isOperator?: ((request: AnyRequest) => boolean) | undefined;
}

/**
 * False for requests to an index, with a credential, or of a session that another node may have made a moment ago.
 * Synchronous but for tokens.
 */
export function isKnown(
  request: AnyRequest,
  { authenticators, sessions, directory, targetOf, signInPaths, isOperator }: KnownParts,
): boolean | Promise<boolean> {
  if (isOperator?.(request) === true) return true;
  const path = pathOf(request);
  if (request.method === 'POST' && signInPaths.has(path)) return false;
  const target = targetOf(request);
  if (target.kind === 'index' && !isSettled(target.index)) return false;
  if (isConsoleRequest(request.headers)) {
    const cookie = presentedCookie(request.headers, hostOf(request.headers));
    if (cookie !== undefined && !sessions.has(cookie)) return false;
  }
  const credential = presentedKey(request.headers);
  if (credential === undefined) return true;
  const holder = authenticators.principals.authenticateKey(credential);
  if (holder === undefined) return isToken(authenticators.tokens, credential);
  const [, name] = NAMED.exec(path) ?? [];
  return name === undefined || isSettled(directory.byName(holder.access.projectId, name));
}

/** False for an index that another node may have made, made ready or replaced a moment ago. */
function isSettled(index: Index | undefined): boolean {
  return index !== undefined && index.state !== 'Initializing' && index.state !== 'Terminating';
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
