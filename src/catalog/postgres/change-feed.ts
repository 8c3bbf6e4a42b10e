// Follows the changes of other nodes: at once by notifications, and by versions wherever these do not arrive.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type Clocks,
  type Moment,
  momentOf,
  msSince,
  NEVER,
  OWN_CLOCKS,
} from '../../platform/elapsed-time.ts';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { clientOptions, placeOf } from '../../platform/postgres/sessions.ts';
import type { NodeChanges, Topic } from '../foreign-changes.ts';
import { CatalogOpenError } from '../port.ts';
import { CHANNEL, SCHEMA } from './change-topics.ts';

/** How often the versions are read. */
const POLL_MS = 500;
const STATEMENT_MS = 2_000;

export interface ChangeFeedOptions {
  readonly url: string;
  /** Called when a listener fails, which is called again at the next poll. */
  readonly onFailure: (error: unknown) => void;
  readonly pollMs?: number;
  /** Default: those of this machine. */
  readonly clocks?: Clocks;
}

/** One connection that listens; it comes back by itself when it breaks. */
export class ChangeFeed implements NodeChanges {
  readonly #options: ChangeFeedOptions;
  readonly #listeners = new Map<Topic, () => Promise<void>>();
  /** The versions whose listeners have been called. */
  readonly #known = new Map<string, number>();
  #client: pg.Client | null = null;
  readonly #clocks: Clocks;
  #freshAt: Moment = NEVER;
  #wake: () => void = () => undefined;
  /** Something came while the last look was under way. */
  #isPoked = false;
  #following: Promise<void> = Promise.resolve();
  /** The look under way, or the last one. */
  #looking: Promise<void> = Promise.resolve();
  /** The look after it, which serves all who ask meanwhile. */
  #queued: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    this.#clocks = options.clocks ?? OWN_CLOCKS;
  }

  listen(topic: Topic, listener: () => Promise<void>): void {
    this.#listeners.set(topic, listener);
  }

  /** Milliseconds since this node last knew every change, also while it was suspended; infinite before the first time. */
  ageMs(): number {
    return msSince(this.#freshAt, this.#clocks);
  }

  /** Resolves when the listeners have read the state of the start. */
  async start(): Promise<void> {
    await this.#nextLook();
    this.#following = this.#follow();
  }

  async catchUp(): Promise<void> {
    await this.#nextLook().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#poke();
    await this.#following;
    await this.#client?.end().catch(() => undefined);
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      if (!this.#isPoked) await this.#wait();
      this.#isPoked = false;
      if (this.#isClosed) return;
      await this.#nextLook().catch((error) => this.#options.onFailure(error));
    }
  }

  /** Until a notification comes, at most the time between two polls. */
  async #wait(): Promise<void> {
    const ending = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const options = { ref: false, signal: ending.signal };
    const late = sleep(this.#options.pollMs ?? POLL_MS, undefined, options).catch(() => undefined);
    await Promise.race([woken, late]);
    ending.abort();
  }

  #poke(): void {
    this.#isPoked = true;
    this.#wake();
  }

  /** A look that begins after this call; one at a time calls the listeners. */
  #nextLook(): Promise<void> {
    this.#queued ??= this.#looking
      .catch(() => undefined)
      .then(() => {
        this.#queued = null;
        this.#looking = this.#look();
        return this.#looking;
      });
    return this.#queued;
  }

  async #look(): Promise<void> {
    const asked = momentOf(this.#clocks);
    const client = this.#client ?? (await this.#connect());
    const versions = await versionsBy(client).catch((error: unknown) => {
      // It may be of a host that has gone without a word: the next look takes another one.
      if (this.#client === client) this.#client = null;
      void client.end().catch(() => undefined);
      throw error;
    });
    for (const [topic, listener] of this.#listeners) {
      const version = versions.get(topic) ?? 0;
      if (this.#known.get(topic) === version) continue;
      await listener();
      this.#known.set(topic, version);
    }
    this.#freshAt = asked;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...clientOptions(this.#options), query_timeout: STATEMENT_MS });
    // Without a listener the process would end.
    client.on('error', () => undefined);
    client.on('notification', () => this.#poke());
    client.once('end', () => {
      if (this.#client === client) this.#client = null;
      this.#poke();
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      await keepLonersOut(client, this.#options.url);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    // Another server may lack the last changes of the one before, and have others of the same versions.
    this.#known.clear();
    return client;
  }
}

async function versionsBy(client: pg.Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ readonly topic: string; readonly version: number }>(
    `select topic, version from ${SCHEMA}.versions`,
  );
  return new Map(rows.map(({ topic, version }) => [topic, version]));
}

/** For as long as this connection lives. @throws CatalogOpenError when one node has the catalog to itself */
async function keepLonersOut(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<{ readonly held: boolean }>(
    `select pg_try_advisory_lock_shared(${ADVISORY_LOCKS.node}) as held`,
  );
  if (rows[0]?.held !== true)
    throw new CatalogOpenError(
      'in-use',
      `the catalog in ${placeOf(url)} is in use by a node that must be alone. Stop it first, or set PINYON_PUBLIC_DOMAIN there, too.`,
    );
}
