// Which records of an index change, as its writer notes them: each call that changes the list is one transaction.
import type { ChangedPage, ChangedRecord } from '../../port/changed-records.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { WriteTransaction } from './write-transaction.ts';

export class ChangedWriter {
  readonly #store: RecordStore;
  readonly #submit: (steps: (txn: WriteTransaction) => void) => Promise<void>;

  /** `submit` runs steps in a transaction and resolves when they are durable. */
  constructor(store: RecordStore, submit: (steps: (txn: WriteTransaction) => void) => Promise<void>) {
    this.#store = store;
    this.#submit = submit;
  }

  track(): Promise<void> {
    return this.#submit(({ store }) => store.changed.track());
  }

  forget(): Promise<void> {
    return this.#submit(({ store }) => store.changed.forget());
  }

  list(limit: number): ChangedPage {
    return this.#store.changed.list(limit);
  }

  settle(changed: readonly ChangedRecord[]): Promise<void> {
    return this.#submit(({ store }) => store.changed.settle(changed));
  }
}
