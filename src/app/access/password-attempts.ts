// Bounds attempts to sign in by password: few from one network, so that strangers use up their own, and more from all.
import { AttemptLimit } from './attempt-limit.ts';
import { networkOf } from './wrong-credentials.ts';

const FROM_NETWORK_MAX = 10;
/** From all networks together where the person has not signed in before. */
const FROM_STRANGE_NETWORKS_MAX = 100;
const WINDOW_MS = 15 * 60 * 1_000;
/** Windows remembered; no more begin in the time of one, at the pace of hashes. */
const WINDOWS_MAX = 10_000;
/** Networks of people remembered. */
const HOMES_MAX = 10_000;

/** Who tries to sign in, and from where. */
export interface Attempt {
  /** The key of an e-mail address, whether or not a person has it. */
  readonly emailKey: string;
  /** Of the client. */
  readonly address: string;
}

export class PasswordAttempts {
  readonly #fromNetwork: AttemptLimit;
  readonly #fromStrangeNetworks: AttemptLimit;
  /** Pairs of a person and a network that signed in, the latest last. */
  readonly #homes = new Set<string>();

  constructor(now: () => number) {
    const options = { windowMs: WINDOW_MS, addressesMax: WINDOWS_MAX, now };
    this.#fromNetwork = new AttemptLimit({ ...options, attemptsMax: FROM_NETWORK_MAX });
    this.#fromStrangeNetworks = new AttemptLimit({ ...options, attemptsMax: FROM_STRANGE_NETWORKS_MAX });
  }

  /** Counts an attempt before it is made. @throws too-many-attempts */
  begin(attempt: Attempt): void {
    const pair = pairOf(attempt);
    this.#fromNetwork.begin(pair);
    if (!this.#homes.has(pair)) this.#fromStrangeNetworks.begin(attempt.emailKey);
  }

  /** Forgets what was tried from the network of a person who has signed in. */
  succeed(attempt: Attempt): void {
    const pair = pairOf(attempt);
    this.#fromNetwork.forget(pair);
    this.#homes.delete(pair);
    this.#homes.add(pair);
    const [oldest] = this.#homes;
    if (this.#homes.size > HOMES_MAX && oldest !== undefined) this.#homes.delete(oldest);
  }
}

function pairOf({ emailKey, address }: Attempt): string {
  return `${networkOf(address)} ${emailKey}`;
}
