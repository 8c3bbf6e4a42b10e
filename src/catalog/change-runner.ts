// Runs a change of administration: one transaction with its audit entries, then the word to whom it concerns.
import type { Kysely, Transaction } from 'kysely';
import type { Actor } from '../domain/administration/audit.ts';
import { newOrderedId } from '../domain/ids.ts';
import { type AuditDetails, insertAuditEntries } from './administration/audit-rows.ts';
import type { AccessChange } from './administration/port.ts';
import type { CatalogSchema } from './schema.ts';

/** What the work of a change is given. */
export interface Change {
  readonly tx: Transaction<CatalogSchema>;
  readonly by: Actor;
  /** ISO time, the same for everything the change writes. */
  readonly now: string;
  /** Goes into the audit log with the change. */
  readonly audit: (fields: AuditDetails) => void;
  /** Goes to the listeners once the change is committed. */
  readonly notify: (change: AccessChange) => void;
}

export class ChangeRunner {
  readonly #db: Kysely<CatalogSchema>;
  readonly #listeners: ((change: AccessChange) => void)[] = [];

  constructor(db: Kysely<CatalogSchema>) {
    this.#db = db;
  }

  get db(): Kysely<CatalogSchema> {
    return this.#db;
  }

  listen(listener: (change: AccessChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Whatever `work` throws undoes all of it, and nobody is told. */
  async run<Value>(by: Actor, work: (change: Change) => Promise<Value>): Promise<Value> {
    const told: AccessChange[] = [];
    const value = await this.#db.transaction().execute(async (tx) => {
      const entries: AuditDetails[] = [];
      const now = new Date().toISOString();
      const done = await work({
        tx,
        by,
        now,
        audit: (fields) => entries.push(fields),
        notify: (change) => told.push(change),
      });
      await insertAuditEntries(
        tx,
        entries.map((fields) => ({
          details: {},
          ...fields,
          id: newOrderedId(),
          at: now,
          actor: by,
          outcome: 'allowed',
          count: 1,
        })),
      );
      return done;
    });
    // One connection commits one change after the other, so the listeners hear them in the order of the disk.
    for (const change of told) for (const listener of this.#listeners) listener(change);
    return value;
  }
}
