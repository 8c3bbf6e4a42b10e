// An advisory lock that one node holds for a while, over a connection of its own; it ends with the node.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clientOptions, placeOf } from '../../platform/postgres/sessions.ts';
import { CatalogOpenError } from '../port.ts';
import { openingError } from './postgres-errors.ts';

const WAIT_MS = 120_000;
const RETRY_MS = 250;

export interface HeldLock {
  /** Safe to repeat. */
  release(): Promise<void>;
}

export interface HoldLockOptions {
  readonly url: string;
  /** One of `ADVISORY_LOCKS`. */
  readonly lock: number;
  readonly onWait?: (reason: string) => void;
}

/** Waits until no other node holds the lock. @throws CatalogOpenError in-use */
export async function holdLock({ url, lock, onWait }: HoldLockOptions): Promise<HeldLock> {
  const client = new pg.Client(clientOptions({ url }));
  // Without a listener the process would end. The lock ends with the connection, which harms nobody.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const until = performance.now() + WAIT_MS;
    for (let tried = 1; !(await isTaken(client, lock)); tried++) {
      if (performance.now() > until)
        throw new CatalogOpenError('in-use', `another node of ${placeOf(url)} takes too long to start.`);
      if (tried === 1) onWait?.('another node starts');
      await sleep(RETRY_MS);
    }
  } catch (error) {
    await client.end().catch(() => undefined);
    throw openingError(placeOf(url), error);
  }
  let ending: Promise<void> | null = null;
  return {
    release: () => {
      ending ??= client.end().catch(() => undefined);
      return ending;
    },
  };
}

async function isTaken(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ readonly held: boolean }>('select pg_try_advisory_lock($1) as held', [
    lock,
  ]);
  return rows[0]?.held === true;
}
