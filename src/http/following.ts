// What a node of several does before it answers: it refuses while its knowledge is too old, and asks before it says no.
import type { ConsoleSessions } from '../app/access/console-sessions.ts';
import type { Principals } from '../app/access/principals.ts';
import { fault } from '../domain/faults.ts';
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
  readonly principals: Pick<Principals, 'authenticateKey'>;
  readonly sessions: Pick<ConsoleSessions, 'has'>;
  readonly targetOf: (request: Pick<AnyRequest, 'headers' | 'socket'>) => Target;
}

/** False for requests to an index, with a key, or of a session that another node may have made a moment ago. */
export function isKnown(request: AnyRequest, { principals, sessions, targetOf }: KnownParts): boolean {
  const target = targetOf(request);
  if (target.kind === 'index' && (target.index?.state ?? 'Initializing') === 'Initializing') return false;
  if (isConsoleRequest(request.headers)) {
    const cookie = presentedCookie(request.headers, hostOf(request.headers));
    if (cookie !== undefined && !sessions.has(cookie)) return false;
  }
  const key = request.headers['api-key'];
  return typeof key !== 'string' || principals.authenticateKey(key) !== undefined;
}
