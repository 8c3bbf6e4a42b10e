// A consistent view of an index for a copying thread: one read transaction, and the derived files that go with it.

import type { Transaction } from 'lmdb';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { parseOwnJson } from '../../../domain/json.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import type { CopyDetails } from '../../port/index-copies.ts';
import type { DerivedRow } from '../storage/derived-table.ts';
import { closeFiles, type IndexFiles, openForReading } from '../storage/index-files.ts';
import { IDENTITY_NUMBERS } from '../storage/integrity/identity.ts';
import { namespaceOfKey } from '../storage/keys.ts';
import { decodeNamespaceRow, type NamespaceRow } from '../storage/namespace-table.ts';
import { SEQ } from '../storage/record-store.ts';
import { OpenDerivedFiles } from './open-derived-files.ts';

/** A file may be replaced between the start of the transaction and its opening; the next try finds both consistent. */
const TRIES_MAX = 5;

export interface NamedNamespace {
  readonly name: string;
  readonly row: NamespaceRow;
}

export class IndexSnapshot {
  readonly profile: IndexProfile;
  readonly files: IndexFiles;
  #transaction: Transaction;
  #derived: OpenDerivedFiles;
  #isOver = false;

  /** @throws ENOENT when the index is gone */
  constructor(profile: IndexProfile, folder: string) {
    this.profile = profile;
    this.files = openForReading(folder, profile.dimension);
    this.#transaction = this.#begin();
    this.#derived = OpenDerivedFiles.open(folder, this.#derivedRows());
    for (let tries = 1; tries < TRIES_MAX && !this.#derived.isComplete; tries++) {
      this.#derived.close();
      this.#transaction.done();
      this.#transaction = this.#begin();
      this.#derived = OpenDerivedFiles.open(folder, this.#derivedRows());
    }
  }

  get transaction(): Transaction {
    return this.#transaction;
  }

  /** The files of those namespaces whose files are complete. */
  get derived(): OpenDerivedFiles {
    return this.#derived;
  }

  get rowBytes(): number {
    return (this.profile.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  }

  /**
   * @param only name of the only namespace to count; default all
   * @throws CopyFailed overtaken for a branch that was created since the others were made whole
   */
  details(only?: string): CopyDetails {
    let [recordCount, namespaceCount, sizeBytes] = [0, 0, 0];
    for (const { name, row } of this.namespaces()) {
      if (only !== undefined && name !== only) continue;
      if (row.inherited !== undefined)
        throw new CopyFailed('overtaken', `Branch '${name}' was created meanwhile.`);
      namespaceCount++;
      recordCount += row.recordCount;
      sizeBytes += row.sizeBytes;
    }
    return { seq: this.numbers()[SEQ] ?? 0, recordCount, namespaceCount, sizeBytes };
  }

  /** In bytewise order of their names. */
  *namespaces(): Generator<NamedNamespace> {
    const { transaction } = this;
    for (const { key, value } of this.files.store.namespaces.published.getRange({ transaction }))
      yield { name: namespaceOfKey(key), row: decodeNamespaceRow(value) };
  }

  /** The store's counters, without those that say which index it is. */
  numbers(): Readonly<Record<string, number>> {
    const { transaction } = this;
    const all = [...this.files.store.numbers.database.getRange({ transaction })];
    const named = all.map(({ key, value }) => [key.toString(), value.readDoubleLE(0)] as const);
    return Object.fromEntries(named.filter(([name]) => !IDENTITY_NUMBERS.includes(name)));
  }

  /** Ends the transaction, so that LMDB may reuse old pages; rows and files stay readable. Idempotent. */
  endTransaction(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#transaction.done();
  }

  async close(): Promise<void> {
    this.endTransaction();
    this.#derived.close();
    await closeFiles(this.files);
  }

  #begin(): Transaction {
    this.files.store.refresh();
    return this.files.store.env.useReadTransaction();
  }

  #derivedRows(): ReadonlyMap<number, DerivedRow> {
    const { transaction } = this;
    const all = [...this.files.store.derived.database.getRange({ transaction })];
    return new Map(
      all.map(({ key, value }) => [key.readUInt32BE(0), parseOwnJson<DerivedRow>(value.toString())]),
    );
  }
}
