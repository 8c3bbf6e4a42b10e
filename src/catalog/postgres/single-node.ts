// Keeps a second node from a catalog on PostgreSQL: one whose indexes are in the first node's data directory.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clientOptions, placeOf } from '../../platform/postgres/sessions.ts';
import { CatalogOpenError } from '../port.ts';
import { openingError } from './postgres-errors.ts';

/** The advisory lock that a node holds as long as it lives; nodes that share the catalog share it. */
export const NODE_LOCK = 7_310_579_004_202;
/** A node that lost its machine loses the lock when the server finds its connection dead. */
const SESSION = `set tcp_keepalives_idle to 10; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 3;
select pg_try_advisory_lock(${NODE_LOCK}) as is_held`;
const WAIT_MS = 30_000;
const RETRY_MS = 1_000;

export interface SingleNodeOptions {
  readonly url: string;
  /** Another node has the catalog: this one must stop. */
  readonly onLost: () => void;
  readonly onWait?: (reason: string) => void;
  readonly waitMs?: number;
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
    await client?.query(`select pg_advisory_unlock(${NODE_LOCK})`).catch(() => undefined);
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
    client.once('end', () => {
      this.#client = null;
      this.#taking = this.#takeAgain();
    });
    return true;
  }

  async #takeAgain(): Promise<void> {
    while (!this.#isClosed) {
      const isHeld = await this.#take().catch(() => null);
      if (isHeld === false && !this.#isClosed) return this.#options.onLost();
      if (isHeld === true) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

function rethrown(url: string, error: unknown): never {
  throw openingError(placeOf(url), error);
}
