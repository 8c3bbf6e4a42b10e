// Keeps a second node from a catalog on PostgreSQL: one whose indexes are in the first node's data directory.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { clientOptions, KEEPALIVES, placeOf } from '../../platform/postgres/sessions.ts';
import { CatalogOpenError } from '../port.ts';
import { openingError } from './postgres-errors.ts';

/** A node that lost its machine loses the lock when the server finds its connection dead. */
const SESSION = `${KEEPALIVES};
select pg_try_advisory_lock(${ADVISORY_LOCKS.node}) as is_held`;
/** Longer than the server takes for a connection to be dead that this node has given up. */
const WAIT_MS = 30_000;
const RETRY_MS = 1_000;
/** How often a node asks whether its connection lives, and how long the answer may take. */
const ASK_MS = 5_000;

export interface SingleNodeOptions {
  readonly url: string;
  /** Another node has the catalog: this one must stop. */
  readonly onLost: () => void;
  readonly onWait?: (reason: string) => void;
  /** How long another node may keep the lock, be it this node's own connection that was given up; default 30 s. */
  readonly waitMs?: number;
  /** Default 5 s. */
  readonly askMs?: number;
}

/** An option of each statement, which the types leave out. */
interface AnsweredIn {
  readonly query_timeout: number;
}

export interface SingleNode {
  close(): Promise<void>;
}

/** Holds the lock over restarts of the database. @throws CatalogOpenError in-use */
export async function becomeSingleNode(options: SingleNodeOptions): Promise<SingleNode> {
  const holder = new LockHolder(options);
  await holder.open();
  return holder;
}

class LockHolder implements SingleNode {
  readonly #options: SingleNodeOptions;
  #client: pg.Client | null = null;
  #taking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: SingleNodeOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { url, onWait, waitMs = WAIT_MS } = this.#options;
    const until = performance.now() + waitMs;
    while (!(await this.#take().catch((error) => rethrown(url, error)))) {
      if (performance.now() > until)
        throw new CatalogOpenError(
          'in-use',
          `the catalog in ${placeOf(url)} is in use by another node. Its indexes are in that node's data directory, ` +
            'so it serves one node at a time. Stop the other node first.',
        );
      onWait?.('another node uses the catalog');
      await sleep(RETRY_MS);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#taking;
    const client = this.#client;
    // The next node need not wait until the server notices that the connection is closed.
    await client?.query(`select pg_advisory_unlock(${ADVISORY_LOCKS.node})`).catch(() => undefined);
    await client?.end();
  }

  async #take(): Promise<boolean> {
    const client = new pg.Client(clientOptions(this.#options));
    // Without a listener the process would end.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const results: unknown = await client.query(SESSION);
      const taken = (results as readonly { readonly rows: readonly { readonly is_held?: boolean }[] }[]).at(
        -1,
      );
      if (taken?.rows[0]?.is_held !== true) {
        await client.end();
        return false;
      }
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    const asking = new AbortController();
    let isSilent = false;
    client.once('end', () => {
      asking.abort();
      this.#client = null;
      this.#taking = this.#takeAgain(isSilent);
    });
    void this.#untilSilent(client, asking.signal).then((yes) => {
      isSilent = yes;
      return yes ? client.end() : undefined;
    });
    return true;
  }

  /** A host that disappears ends no connection. @returns false when the connection has ended first */
  async #untilSilent(client: pg.Client, ended: AbortSignal): Promise<boolean> {
    const { askMs = ASK_MS } = this.#options;
    const question = { text: 'select', query_timeout: askMs } satisfies pg.QueryConfig & AnsweredIn;
    try {
      for (;;) {
        await sleep(askMs, undefined, { ref: false, signal: ended });
        await client.query(question);
      }
    } catch {
      return !ended.aborted;
    }
  }

  /** @param isSilent whether the server may take the connection that was given up for one that lives */
  async #takeAgain(isSilent: boolean): Promise<void> {
    const until = performance.now() + (isSilent ? (this.#options.waitMs ?? WAIT_MS) : 0);
    while (!this.#isClosed) {
      const isHeld = await this.#take().catch(() => null);
      const isLost = isHeld === false && performance.now() >= until;
      if (isLost && !this.#isClosed) return this.#options.onLost();
      if (isHeld === true) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

function rethrown(url: string, error: unknown): never {
  throw openingError(placeOf(url), error);
}
