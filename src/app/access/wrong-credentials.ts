// Back-off for callers who try out keys, secrets and tokens: wrong ones are counted by address and by client id, and
// beyond a rate answered 429. Right ones are answered always, so that nobody can lock out others.
import { isIPv6 } from 'node:net';
import { Fault, fault } from '../../domain/faults.ts';

/** Attempts that come back each second. */
const REFILL_PER_SECOND = 1;
/** Addresses and client ids remembered; beyond these, the one seen longest ago is forgotten. */
const BUCKETS_MAX = 10_000;
const SECOND_MS = 1_000;
/** Networks of one subscriber share the first half of an IPv6 address. */
const IPV6_PREFIX_GROUPS = 4;
const IPV6_GROUPS = 8;

export interface WrongCredentialsOptions {
  /** Wrong credentials in a row that are answered 401; 0 for any number. */
  readonly burst: number;
  readonly now?: () => number;
}

interface Bucket {
  /** Attempts left at `at`. */
  readonly left: number;
  readonly at: number;
}

/** Token buckets, as many as BUCKETS_MAX. */
export class WrongCredentials {
  readonly #burst: number;
  readonly #now: () => number;
  /** Seen longest ago first. */
  readonly #buckets = new Map<string, Bucket>();
  #refused = 0;
  #backedOff = 0;

  constructor({ burst, now = Date.now }: WrongCredentialsOptions) {
    this.#burst = burst;
    this.#now = now;
  }

  /** Wrong credentials so far: answered as wrong, and answered 429. */
  get counts(): { readonly refused: number; readonly backedOff: number } {
    return { refused: this.#refused, backedOff: this.#backedOff };
  }

  /** Counts a wrong credential from an address. @returns the fault for too many; null to answer as usual */
  fromAddress(address: string): Fault | null {
    const refusal = this.#take(`address ${networkOf(address)}`);
    if (refusal === null) this.#refused++;
    else this.#backedOff++;
    return refusal;
  }

  /** Counts a wrong secret of a client id, which many addresses may try. @throws too-many-attempts */
  ofClient(clientId: string): void {
    const refusal = this.#take(`client ${clientId.slice(0, CLIENT_ID_CHARS)}`);
    if (refusal === null) return;
    this.#backedOff++;
    throw refusal;
  }

  #take(key: string): Fault | null {
    if (this.#burst === 0) return null;
    const now = this.#now();
    const known = this.#buckets.get(key) ?? { left: this.#burst, at: now };
    // The clock may have been set back: that takes no attempts away.
    const refilled = known.left + (Math.max(0, now - known.at) / SECOND_MS) * REFILL_PER_SECOND;
    const left = Math.min(this.#burst, refilled);
    const isAllowed = left >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: isAllowed ? left - 1 : left, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > BUCKETS_MAX && oldest !== undefined) this.#buckets.delete(oldest);
    return isAllowed ? null : tooMany(Math.ceil((1 - left) / REFILL_PER_SECOND));
  }
}

/** Longer ones exist nowhere. */
const CLIENT_ID_CHARS = 128;

function tooMany(seconds: number): Fault {
  const { message } = fault('too-many-attempts', { seconds });
  return new Fault('too-many-attempts', message, { retryAfterSeconds: seconds });
}

/** The address, or the first half of an IPv6 address: a caller has the rest to choose from. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, IPV6_GROUPS - groups.length - last.length) }, () => '0');
  return [...groups, ...zeros, ...last]
    .slice(0, IPV6_PREFIX_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
