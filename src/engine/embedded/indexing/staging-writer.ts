// Writes to the staged namespaces of an index: each call is one transaction.
import type { NewNamespace, StagedNamespace } from '../../port/staged-namespaces.ts';
import type { RecordStore } from '../storage/record-store.ts';
import { dropStaged, publish, stage, stagedIn } from './staging.ts';
import type { WriteTransaction } from './write-transaction.ts';

export class StagingWriter {
  readonly #store: RecordStore;
  readonly #submit: (steps: (txn: WriteTransaction) => void) => Promise<void>;

  /** `submit` runs steps in a transaction and resolves when they are durable. */
  constructor(store: RecordStore, submit: (steps: (txn: WriteTransaction) => void) => Promise<void>) {
    this.#store = store;
    this.#submit = submit;
  }

  list(): readonly StagedNamespace[] {
    return stagedIn(this.#store);
  }

  stage(owner: string, namespaces: readonly NewNamespace[]): Promise<void> {
    return this.#submit((txn) => stage(txn, owner, namespaces));
  }

  /** @throws namespace-exists */
  publish(owner: string): Promise<void> {
    return this.#submit((txn) => publish(txn, owner));
  }

  drop(owner: string): Promise<void> {
    return this.#submit((txn) => dropStaged(txn, owner));
  }
}
