// Runs a change of administration: one transaction with its audit entries, then the listeners.
import type { Kysely, Transaction } from 'kysely';
import type { Actor, AuditDetails } from '../domain/administration/audit.ts';
import { newOrderedId } from '../domain/ids.ts';
import { insertAuditEntries } from './administration/audit-rows.ts';
import type { AccessChange } from './administration/port.ts';
import type { CatalogSchema } from './schema.ts';

/** The context of a change. */
export interface Change {
  readonly tx: Transaction<CatalogSchema>;
  readonly by: Actor;
  /** ISO time of everything that the change writes. */
  readonly now: string;
  /** Adds an entry to the audit log in the same transaction. */
  readonly audit: (fields: AuditDetails) => void;
  /** Notifies the listeners after the commit. */
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

  /** Any error of `work` rolls everything back, and no listener is called. */
  async run<Value>(by: Actor, work: (change: Change) => Promise<Value>): Promise<Value> {
    const changes: AccessChange[] = [];
    const value = await this.#db.transaction().execute(async (tx) => {
      const entries: AuditDetails[] = [];
      const now = new Date().toISOString();
      const done = await work({
        tx,
        by,
        now,
        audit: (fields) => entries.push(fields),
        notify: (change) => changes.push(change),
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
    // The only connection commits changes one by one, so listeners hear them in commit order.
    for (const change of changes) for (const listener of this.#listeners) listener(change);
    return value;
  }
}
