// Brings one namespace from disk into memory: reads a snapshot in slices between other work of the thread, then
// catches up with the writes that came meanwhile from the change log.
import type { Transaction } from 'lmdb';
import type { Metadata } from '../../port.ts';
import type { MemoryContext } from '../memory/namespace-memory.ts';
import { NamespaceMemory } from '../memory/namespace-memory.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { seqKey } from '../storage/keys.ts';
import type { LocatedRecord } from '../storage/record-store.ts';
import { decodeEffects, type LoggedEffect } from './effects.ts';
import { SEQ } from './write-transaction.ts';

/** How long a slice may hold the thread; writes wait no longer than this behind a load. */
const SLICE_MS = 5;
/** Records read together, so that neighbouring rows come with one system call. */
const RECORDS_A_READ = 64;

export interface LoadedSpace {
  readonly spaceId: number;
  /** Metadata fields to keep in columns; null for all. */
  readonly filterable: readonly string[] | null;
}

export class NamespaceLoader {
  /** The snapshot holds every write up to this one. */
  readonly seq: number;
  readonly spaceId: number;
  readonly #filterable: readonly string[] | null;
  readonly #context: MemoryContext;
  readonly #files: IndexFiles;
  readonly #snapshot: Transaction;
  readonly #rows: Uint8Array;
  #stopped = false;

  constructor(space: LoadedSpace, context: MemoryContext, files: IndexFiles) {
    this.spaceId = space.spaceId;
    this.#filterable = space.filterable;
    this.#context = context;
    this.#files = files;
    files.store.refresh();
    this.#snapshot = files.store.env.useReadTransaction();
    this.seq = files.store.getNumber(SEQ);
    this.#rows = new Uint8Array(RECORDS_A_READ * this.#rowBytes);
  }

  /** Abandons the load; `run` resolves to null. */
  stop(): void {
    this.#stopped = true;
  }

  /** @returns the namespace, published up to the newest write; null when stopped. @throws ArenaFull */
  async run(): Promise<NamespaceMemory | null> {
    const records = this.#files.store.recordsFrom(this.spaceId, 0, { transaction: this.#snapshot });
    let memory: NamespaceMemory | undefined;
    try {
      memory = new NamespaceMemory(this.spaceId, this.#filterable, this.#context);
      let more = true;
      while (more) {
        more = this.#readSlice(memory, records);
        await new Promise(setImmediate);
        if (this.#stopped) {
          memory.release();
          return null;
        }
      }
      this.#catchUp(memory);
      return memory;
    } catch (error) {
      memory?.release();
      throw error;
    } finally {
      // The cursor before its transaction: an open one would hold the snapshot, and its pages, for ever.
      records.return(undefined);
      this.#snapshot.done();
    }
  }

  get #rowBytes(): number {
    return (this.#context.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  }

  #readSlice(memory: NamespaceMemory, records: Iterator<LocatedRecord>): boolean {
    const end = performance.now() + SLICE_MS;
    do {
      const lot: LocatedRecord[] = [];
      while (lot.length < RECORDS_A_READ) {
        const next = records.next();
        if (next.done === true) break;
        lot.push(next.value);
      }
      this.#append(memory, lot);
      if (lot.length < RECORDS_A_READ) return false;
    } while (performance.now() < end);
    return true;
  }

  #append(memory: NamespaceMemory, lot: readonly LocatedRecord[]): void {
    for (let first = 0; first < lot.length; ) {
      const firstRow = lot[first]?.row ?? 0;
      let count = 1;
      while (lot[first + count]?.row === firstRow + count) count++;
      this.#files.rowFile?.read(firstRow, count, this.#rows);
      for (let i = 0; i < count; i++) {
        const record = lot[first + i];
        if (record !== undefined) this.#appendOne(memory, record, i);
      }
      first += count;
    }
  }

  /** `at`: which of the rows just read belongs to the record. */
  #appendOne(memory: NamespaceMemory, record: LocatedRecord, at: number): void {
    const { dimension } = this.#context;
    const values =
      dimension === null ? null : new Float32Array(this.#rows.buffer, at * this.#rowBytes, dimension);
    const metadata = record.metadataJson === null ? null : (JSON.parse(record.metadataJson) as Metadata);
    memory.append({ row: record.row, values, sparse: record.sparse, metadata });
  }

  /** Runs without a pause, in the writer's thread, so that no commit can come in between. */
  #catchUp(memory: NamespaceMemory): void {
    const { store } = this.#files;
    store.refresh();
    for (const { value } of store.changes.getRange({ start: seqKey(this.seq + 1) })) {
      for (const effect of decodeEffects(value)) {
        if (effect.spaceId === this.spaceId) this.#replay(memory, effect);
      }
    }
    memory.publish(store.getNumber(SEQ));
  }

  #replay(memory: NamespaceMemory, effect: LoggedEffect): void {
    memory.kill(effect.row);
    if (effect.kind !== 'add') return;
    const body = this.#files.store.record(this.spaceId, effect.row);
    // A later write took the row away again; its own entry follows.
    if (body !== undefined) this.#append(memory, [{ row: effect.row, ...body }]);
  }
}
