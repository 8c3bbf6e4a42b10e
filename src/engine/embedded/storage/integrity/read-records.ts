// Reads the records of an index from its files, damaged or not: those that are whole, and the ids of those that are lost.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecord, type RecordBody } from '../../../port/record-codec.ts';
import { idOfKey, namespaceOfKey, ROW_KEY_BYTES, rowOfKey } from '../keys.ts';
import { decodeNamespaceRow, type NamespaceRow } from '../namespace-table.ts';
import { identityProblem, type StoreIdentity } from './identity.ts';
import { lastCommit, olderProblem } from './last-commit.ts';
import { PageFile } from './page-file.ts';
import { NO_ROW_SUM, rowSumOf, takeSums } from './record-sums.ts';
import { RowWindow } from './row-window.ts';
import { RECORDS, readSums, SUMS } from './sealed-records.ts';
import { type Entry, TolerantReader } from './tolerant-reader.ts';

const ROWS = 'rows.f32';
/** Problems that are listed of one file. */
const PROBLEMS_MAX = 200;

export interface WholeRecord {
  readonly namespaceId: number;
  readonly row: number;
  readonly body: RecordBody;
  /** A view of its dense values, valid until the next record; null on sparse indexes. */
  readonly values: Buffer | null;
}

export interface FoundNamespace {
  readonly name: string;
  readonly row: NamespaceRow;
  readonly isStaged: boolean;
}

export class RecordsOnDisk {
  readonly problems: string[] = [];
  readonly derived: string[] = [];
  /** True when these are files of another index, which `checkNumbers` finds. */
  isForeign = false;
  readonly #file: PageFile;
  readonly #reader: TolerantReader;
  readonly #rows: RowWindow | null;
  readonly #folder: string;
  readonly #identity: StoreIdentity;
  #unlisted = 0;

  /** @throws FileDamage when records.mdb is missing */
  constructor(folder: string, identity: StoreIdentity) {
    this.#folder = folder;
    this.#identity = identity;
    const path = join(folder, RECORDS);
    // Before the file: its commit is then as new as the sums at least.
    const sums = readSums(folder);
    const last = lastCommit(folder);
    if (sums === null && existsSync(join(folder, SUMS)))
      this.derived.push(`${join(folder, SUMS)} is damaged`);
    const onDamage = (what: string) => this.#note(`${path}: ${what}`);
    this.#file = PageFile.openDamaged(path, onDamage);
    const older = olderProblem(folder, this.#file.meta.txnId, last);
    if (older !== null) onDamage(older);
    this.#reader = new TolerantReader(this.#file, { sums, onDamage });
    this.#rows = this.#openRows();
  }

  /** Bytes read so far. */
  get bytes(): number {
    return this.#reader.pages * this.#file.meta.pageBytes + (this.#rows?.bytes ?? 0);
  }

  close(): void {
    this.#file.close();
    this.#rows?.close();
  }

  /** Compares what the store says of itself. Call before the other methods. */
  checkNumbers(): void {
    for (const { key, value } of this.#reader.entries('meta')) {
      const number = value.length === 8 ? value.readDoubleLE(0) : Number.NaN;
      const problem = identityProblem(key.toString(), number, this.#identity);
      if (problem === null) continue;
      this.isForeign = true;
      this.#note(`${join(this.#folder, RECORDS)}: ${problem}`);
    }
  }

  /** The namespaces by their ids, staged ones included. */
  namespaces(): ReadonlyMap<number, FoundNamespace> {
    const found = new Map<number, FoundNamespace>();
    for (const [tree, isStaged] of [
      ['namespaces', false],
      ['staged', true],
    ] as const)
      for (const { key, value } of this.#reader.entries(tree)) {
        const row = namespaceRowOf(value);
        const name = namespaceOfKey(key);
        if (row === null)
          this.#note(`${join(this.#folder, RECORDS)}: namespace ${JSON.stringify(name)} cannot be read`);
        else found.set(row.namespaceId, { name, row, isStaged });
      }
    return found;
  }

  /** The ids of dropped namespaces whose records wait to be removed. */
  dropped(): ReadonlySet<number> {
    return new Set([...this.#reader.entries('garbage')].map(({ key }) => key.readUInt32BE(0)));
  }

  /** Whole records in the order of their rows; what is damaged is noted. */
  *records(): Generator<WholeRecord> {
    for (const entry of this.#reader.entries('records')) yield* this.#record(entry);
  }

  /** Ids and their rows. */
  *ids(): Generator<{ readonly namespaceId: number; readonly id: string; readonly row: number }> {
    for (const { key, value } of this.#reader.entries('ids')) {
      if (value.length < 4 || key.length < 5) this.#note(`${join(this.#folder, RECORDS)}: an id has no row`);
      else yield { namespaceId: key.readUInt32BE(0), id: idOfKey(key), row: value.readUInt32LE(0) };
    }
  }

  /** Records and namespaces that only damaged pages led to. Call last. Some may have been deleted a moment before. */
  *strays(): Generator<WholeRecord | FoundNamespace> {
    for (const entry of this.#reader.strays()) {
      if (isRecord(entry)) yield* this.#record(entry);
      else if (entry.key[0] === 'n'.charCodeAt(0)) {
        const row = namespaceRowOf(entry.value);
        if (row !== null) yield { name: namespaceOfKey(entry.key), row, isStaged: false };
      }
    }
  }

  /** Counts problems beyond those that are listed, once. */
  finish(): void {
    if (this.#unlisted > 0) this.problems.push(`and ${this.#unlisted} more problems`);
    this.#unlisted = 0;
  }

  *#record({ key, value }: Entry): Generator<WholeRecord> {
    const namespaceId = key.readUInt32BE(0);
    const row = rowOfKey(key);
    const sums = takeSums(value, namespaceId, row);
    if (sums === null) {
      this.#note(`${join(this.#folder, RECORDS)}: the record at row ${row} does not have its checksum`);
      return;
    }
    const values = this.#values(row, sums.rowSum);
    if (this.#rows !== null && values === null) return;
    yield { namespaceId, row, body: decodeRecord(value, undefined, sums.end), values };
  }

  #values(row: number, rowSum: number): Buffer | null {
    if (this.#rows === null) return null;
    const path = join(this.#folder, ROWS);
    const bytes = this.#rows.row(row);
    if (bytes === null) this.#note(`${path}: it has no row ${row}`);
    else if (rowSum === NO_ROW_SUM || rowSumOf(bytes) === rowSum) return bytes;
    else this.#note(`${path}: row ${row} does not have its checksum`);
    return null;
  }

  #openRows(): RowWindow | null {
    const { dimension } = this.#identity;
    if (dimension === null) return null;
    const path = join(this.#folder, ROWS);
    try {
      return new RowWindow(path, dimension);
    } catch (error) {
      this.#note(`${path}: it cannot be opened (${error instanceof Error ? error.message : error})`);
      return new RowWindow('/dev/null', dimension);
    }
  }

  #note(problem: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(problem);
    else this.#unlisted++;
  }
}

function namespaceRowOf(value: Buffer): NamespaceRow | null {
  try {
    const row = decodeNamespaceRow(value);
    return Number.isInteger(row.namespaceId) && Number.isInteger(row.recordCount) ? row : null;
  } catch {
    return null;
  }
}

/** Only records have a checksum that covers their key. */
function isRecord({ key, value }: Entry): boolean {
  if (key.length !== ROW_KEY_BYTES || value.length < 8) return false;
  const sums = takeSums(value, key.readUInt32BE(0), rowOfKey(key));
  return sums !== null && sums.end < value.length;
}
