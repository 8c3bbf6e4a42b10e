// Allocates rows of the row file within one transaction: freed rows first, then new ones at the end.
import { NEXT_ROW } from '../storage/index-files.ts';
import { seqKey, seqOfKey } from '../storage/keys.ts';
import type { RecordStore } from '../storage/record-store.ts';

/** Rows in one free-list entry: limits the cost of rewriting a partly used entry. */
export const BATCH_ROWS_MAX = 1_024;
/** Row numbers are 32-bit in keys and in memory. */
const ROWS_MAX = 2 ** 32 - 1;

export class RowAllocator {
  readonly #store: RecordStore;
  readonly #reusableSeq: number;
  #nextRow: number;
  readonly #firstNextRow: number;
  #batch: number[] = [];
  #batchKey: Buffer | null = null;
  #exhausted = false;
  readonly #freed: number[] = [];
  /** Rows that were not used any more after an earlier write, by its number. */
  readonly #freedEarlier = new Map<number, number[]>();

  /** @param reusableSeq no reader sees rows that writes up to this number freed */
  constructor(store: RecordStore, reusableSeq: number) {
    this.#store = store;
    this.#reusableSeq = reusableSeq;
    this.#nextRow = store.numbers.get(NEXT_ROW);
    this.#firstNextRow = this.#nextRow;
  }

  take(): number {
    const reused = this.#batch.pop() ?? this.#nextBatch();
    if (reused !== undefined) return reused;
    if (this.#nextRow >= ROWS_MAX) throw new Error(`the index has ${ROWS_MAX} rows, the most it can number`);
    return this.#nextRow++;
  }

  /** Number of rows freed in this transaction. */
  get freedCount(): number {
    return [...this.#freedEarlier.values()].reduce((sum, { length }) => sum + length, this.#freed.length);
  }

  /** @param since the write after which the row was not used any more; default this one */
  free(row: number, since?: number): void {
    if (since === undefined) {
      this.#freed.push(row);
      return;
    }
    const rows = this.#freedEarlier.get(since) ?? [];
    this.#freedEarlier.set(since, rows);
    rows.push(row);
  }

  /** Writes the lists back. Call once, at the end of the transaction. */
  finish(seq: number): void {
    if (this.#batchKey !== null) {
      if (this.#batch.length > 0) this.#store.freeRows.putSync(this.#batchKey, encodeRows(this.#batch));
      else this.#store.freeRows.removeSync(this.#batchKey);
    }
    this.#list(this.#freed, seq, 0);
    for (const [since, rows] of this.#freedEarlier) this.#list(rows, since, this.#nextPart(since));
    if (this.#nextRow !== this.#firstNextRow) this.#store.numbers.put(NEXT_ROW, this.#nextRow);
  }

  #list(freed: readonly number[], seq: number, firstPart: number): void {
    for (let first = 0, part = firstPart; first < freed.length; first += BATCH_ROWS_MAX, part++) {
      const rows = freed.slice(first, first + BATCH_ROWS_MAX);
      this.#store.freeRows.putSync(seqKey(seq, part), encodeRows(rows));
    }
  }

  /** The first part of a write's list that is not in use. */
  #nextPart(seq: number): number {
    const range = { start: seqKey(seq, 2 ** 32 - 1), end: seqKey(seq), reverse: true, limit: 1 };
    for (const key of this.#store.freeRows.getKeys(range)) return key.readUInt32BE(6) + 1;
    return 0;
  }

  #nextBatch(): number | undefined {
    if (this.#exhausted) return undefined;
    if (this.#batchKey !== null) this.#store.freeRows.removeSync(this.#batchKey);
    this.#batchKey = null;
    for (const { key, value } of this.#store.freeRows.getRange({ limit: 1 })) {
      if (seqOfKey(key) > this.#reusableSeq) break;
      this.#batchKey = Buffer.from(key);
      this.#batch = decodeRows(value);
    }
    this.#exhausted = this.#batchKey === null;
    return this.#batch.pop();
  }
}

export function encodeRows(rows: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(rows).buffer);
}

/** Highest first, so that `pop` returns adjacent rows in rising order. */
function decodeRows(value: Buffer): number[] {
  const rows = new Uint32Array(value.length / 4);
  new Uint8Array(rows.buffer).set(value);
  return [...rows].sort((a, b) => b - a);
}
