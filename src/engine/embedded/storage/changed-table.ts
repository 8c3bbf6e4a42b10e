// The records that have changed since tracking began, by namespace and id. Copies of the index leave them out.
import type { ChangedPage, ChangedRecord } from '../../port/changed-records.ts';
import type { Bytes } from './database.ts';
import { namespaceKey, namespaceOfKey, seqKey, seqOfKey } from './keys.ts';

/** Present while changes are tracked. Keys of records begin with another letter. */
const TRACKED = Buffer.from('tracked');
/** Between a name and an id: no name from a caller contains it. */
const END = 0;
const FIRST = namespaceKey('');

export class ChangedTable {
  readonly #database: Bytes;

  constructor(database: Bytes) {
    this.#database = database;
  }

  isTracked(): boolean {
    return this.#database.get(TRACKED) !== undefined;
  }

  /** Call within a transaction, like all methods that write. */
  track(): void {
    this.#database.putSync(TRACKED, Buffer.alloc(0));
  }

  forget(): void {
    this.#database.clearSync();
  }

  /** @param id null for the namespace as a whole */
  note(namespace: string, id: string | null, seq: number): void {
    this.#database.putSync(keyOf(namespace, id), seqKey(seq));
  }

  list(limit: number): ChangedPage {
    const total = Math.max(0, this.#database.getCount({ start: FIRST, end: TRACKED }));
    const changed: ChangedRecord[] = [];
    for (const { key, value } of this.#database.getRange({ start: FIRST, end: TRACKED, limit }))
      changed.push({ ...partsOf(key), lsn: seqOfKey(value) });
    return { changed, total };
  }

  settle(changed: readonly ChangedRecord[]): void {
    for (const { namespace, id, lsn } of changed) {
      const key = keyOf(namespace, id);
      const value = this.#database.get(key);
      if (value !== undefined && seqOfKey(value) === lsn) this.#database.removeSync(key);
    }
  }
}

function keyOf(namespace: string, id: string | null): Buffer {
  const name = namespaceKey(namespace);
  if (id === null) return name;
  return Buffer.concat([name, Buffer.of(END), Buffer.from(id, 'latin1')]);
}

function partsOf(key: Buffer): Pick<ChangedRecord, 'namespace' | 'id'> {
  const end = key.indexOf(END);
  if (end === -1) return { namespace: namespaceOfKey(key), id: null };
  return { namespace: namespaceOfKey(key.subarray(0, end)), id: key.toString('latin1', end + 1) };
}
