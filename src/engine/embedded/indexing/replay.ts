// Carries out changes that were logged elsewhere, each once, in steps of a bounded time.
import { CopyFailed } from '../../port/copy-failed.ts';
import { decodeChange, type EncodedChange, encodedChanges, type LoggedChange } from '../../port/write-log.ts';
import { REPLAYED } from '../storage/integrity/identity.ts';
import type { LongOperation } from './commit-queue.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import type { WriteTransaction } from './write-transaction.ts';

export interface ReplayParts {
  /** Null on sparse indexes. */
  readonly dimension: number | null;
  /** Starts the clock of a turn, and returns a function that tells whether it is over. */
  readonly startTurn: () => () => boolean;
  /** Changes that the index has: those of earlier calls. */
  readonly done: number;
}

export class Replay implements LongOperation<null> {
  readonly #parts: ReplayParts;
  readonly #changes: Iterator<EncodedChange>;
  /** The position of the next change. */
  #at: number;
  #next: EncodedChange | null;

  /** @param first position of the first change */
  constructor(bytes: Uint8Array, first: number, parts: ReplayParts) {
    this.#parts = parts;
    this.#changes = encodedChanges(bytes);
    this.#at = first;
    this.#next = this.#take();
    if (parts.done < first)
      throw new CopyFailed('damaged', `changes ${parts.done} to ${first} were not carried out`);
    while (this.#next !== null && this.#at < parts.done) this.#pass();
  }

  prepare(): boolean {
    return true;
  }

  step(txn: WriteTransaction): { readonly result: null } | null {
    const isOver = this.#parts.startTurn();
    while (this.#next !== null) {
      carryOut(txn, decodeChange(this.#next, this.#parts.dimension));
      this.#pass();
      if (isOver()) break;
    }
    txn.store.numbers.put(REPLAYED, Math.max(this.#at, this.#parts.done));
    return this.#next === null ? { result: null } : null;
  }

  #pass(): void {
    this.#at++;
    this.#next = this.#take();
  }

  #take(): EncodedChange | null {
    const { done, value } = this.#changes.next();
    return done === true ? null : value;
  }
}

/** Writes keep their numbers, except where the index has been busy with work of its own meanwhile. */
function carryOut(txn: WriteTransaction, change: LoggedChange): void {
  txn.seq = Math.max(txn.seq, change.lsn);
  const { namespace: name } = change;
  const namespace = txn.namespaces.find(name);
  switch (change.kind) {
    case 'put':
      for (const record of change.records) txn.put(existing(namespace, name), record);
      break;
    case 'rewrite':
      for (const record of change.records) {
        const previous = txn.find(existing(namespace, name), record.id);
        if (previous === undefined)
          throw new CopyFailed(
            'damaged',
            `record ${JSON.stringify(record.id)}, which was changed, is missing`,
          );
        txn.rewrite(existing(namespace, name), previous, record);
      }
      break;
    case 'remove':
      for (const id of change.ids) {
        const record = namespace === null ? undefined : txn.find(namespace, id);
        if (namespace !== null && record !== undefined) txn.remove(namespace, record);
      }
      break;
    case 'create-namespace':
      // A publication whose reading was interrupted is read again from its beginning.
      if (namespace === null) txn.namespaces.create(name, change);
      break;
    case 'drop-namespace':
      if (namespace !== null) txn.namespaces.drop(namespace);
      break;
  }
}

function existing(namespace: OpenNamespace | null, name: string): OpenNamespace {
  if (namespace !== null) return namespace;
  throw new CopyFailed(
    'damaged',
    `namespace ${JSON.stringify(name)}, whose records were changed, is missing`,
  );
}
