// An advisory lock that one node holds for a while, over a connection of its own; it ends with the node, and with its machine.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clientOptions, KEEPALIVES, placeOf } from '../../platform/postgres/sessions.ts';
import { openingError } from './postgres-errors.ts';

const RETRY_MS = 250;
/** Tries between two words about the wait. */
const TRIES_A_WORD = 120;

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

/**
 * Waits until no other node holds the lock, as long as that node lives: it may be bringing tables up to date. Says so
 * every 30 seconds, and where that node is.
 * @throws CatalogOpenError when the database cannot be used
 */
export async function holdLock({ url, lock, onWait }: HoldLockOptions): Promise<HeldLock> {
  const client = new pg.Client(clientOptions({ url }));
  // Without a listener the process would end. The lock ends with the connection, which harms nobody.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(KEEPALIVES);
    for (let tried = 0; !(await isTaken(client, lock)); tried++) {
      if (tried % TRIES_A_WORD === 0) onWait?.(`another node${await holderOf(client, lock)} starts`);
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

/** Where the node is that has the lock, for people; empty where that is not known, as of sessions of another role. */
async function holderOf(client: pg.Client, lock: number): Promise<string> {
  const { rows } = await client.query<{ readonly address: string | null; readonly since: Date | null }>(
    `select host(client_addr) as address, backend_start as since from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) + objid::bigint = $1
     and database = (select oid from pg_database where datname = current_database())`,
    [lock],
  );
  const [holder] = rows;
  if (holder === undefined || holder.since === null) return '';
  return ` at ${holder.address ?? 'this machine'}, since ${holder.since.toISOString()},`;
}

async function isTaken(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ readonly held: boolean }>('select pg_try_advisory_lock($1) as held', [
    lock,
  ]);
  return rows[0]?.held === true;
}
