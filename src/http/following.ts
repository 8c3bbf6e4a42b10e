// What a node of several does before it answers: it refuses while its knowledge is too old, and asks before it says no.
import type { Principals } from '../app/access/principals.ts';
import { fault } from '../domain/faults.ts';
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
  readonly targetOf: (request: Pick<AnyRequest, 'headers' | 'socket'>) => Target;
}

/** False for requests to an index, or with a key, that another node may have made a moment ago. */
export function isKnown(request: AnyRequest, { principals, targetOf }: KnownParts): boolean {
  const target = targetOf(request);
  if (target.kind === 'index' && (target.index?.state ?? 'Initializing') === 'Initializing') return false;
  const key = request.headers['api-key'];
  return typeof key !== 'string' || principals.authenticateKey(key) !== undefined;
}
