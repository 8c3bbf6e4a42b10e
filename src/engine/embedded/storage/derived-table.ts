// The ledger of derived files on disk: which files of each namespace are valid.
import { parseOwnJson } from '../../../domain/json.ts';
import type { Bytes } from './database.ts';
import { namespaceIdKey } from './keys.ts';

/** The files derived from a namespace, by segment. */
export interface DerivedRow {
  /** Identifies a load of the namespace from its records: files of different loads do not go together. */
  readonly generation: string;
  readonly segments: readonly DerivedSegment[];
}

/** Which files of a segment are valid, and from where the change log must be replayed on them. */
export interface DerivedSegment {
  /** Tags of valid files: two while one replaces another. */
  readonly tags: readonly string[];
  /** At or before the first write since the file was made; null when there was none. */
  readonly changedSeq: number | null;
  /** The same for the file that is being written. */
  readonly nextChangedSeq: number | null;
}

export class DerivedTable {
  /** Namespace id -> DerivedRow as JSON. */
  readonly database: Bytes;

  constructor(database: Bytes) {
    this.database = database;
  }

  *list(): Generator<{ namespaceId: number; row: DerivedRow }> {
    for (const { key, value } of this.database.getRange({}))
      yield { namespaceId: key.readUInt32BE(0), row: parseOwnJson(value.toString()) };
  }

  /** @param row null to remove it */
  put(namespaceId: number, row: DerivedRow | null): void {
    if (row === null) this.database.removeSync(namespaceIdKey(namespaceId));
    else this.database.putSync(namespaceIdKey(namespaceId), Buffer.from(JSON.stringify(row)));
  }
}
