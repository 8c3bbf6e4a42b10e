// Loads one namespace from disk into memory: reads a snapshot in slices between other work of the thread, then replays
// later writes from the change log.
import { parseMetadata } from '../../../domain/records/metadata.ts';
import { ORIGIN_ROWS_MAX, originOf } from '../ann/code-origin.ts';
import { comparable } from '../ann/code-space.ts';
import { UNKNOWN_RECORD } from '../segments/deleted-record.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { SegmentData } from '../segments/segment-data.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { NO_ROW_SUM, rowSumOf } from '../storage/integrity/record-sums.ts';
import { seqKey, seqOfKey } from '../storage/keys.ts';
import { SEQ } from '../storage/record-store.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import { spreadRows } from '../storage/spread-rows.ts';
import { decodeEffects, type LoggedEffect } from './effects.ts';
import { FormerRecords } from './former-records.ts';

/** How long a slice may block the thread, and so delay writes. */
const SLICE_MS = 5;
/** Records read together, so that adjacent rows need one system call. */
const RECORDS_A_READ = 64;

export interface LoadRequest {
  readonly namespaceId: number;
  /** Metadata fields to keep in columns; null for all. */
  readonly filterable: readonly string[] | null;
  /** True to ignore derived files and read the records, which compacts tombstones. */
  readonly isFresh?: boolean;
  /** About where the origin of codes that are made from the records should be; default the mean of some of them. */
  readonly origin?: Float32Array | null;
  /** True when no query has asked for the namespace: nothing is evicted for it. */
  readonly isPrefetch?: boolean;
}

export interface LoaderParts {
  readonly pool: MemoryPool;
  readonly files: IndexFiles;
  /** Restores the namespace from derived files; null when there are no valid ones. */
  readonly restore: (
    request: LoadRequest,
    signal: AbortSignal,
  ) => Promise<{ readonly memory: NamespaceSegments; readonly changedSeq: number | null } | null>;
  /** Frees what nobody uses after all. */
  readonly release: (memory: NamespaceSegments) => void;
}

export class NamespaceLoader {
  readonly #request: LoadRequest;
  readonly #parts: LoaderParts;
  readonly #rows: Uint8Array;
  readonly #stopping = new AbortController();
  #seq: number;
  /** What tells which texts a record had that a later write removed; null until all texts are counted. */
  #formers: FormerRecords | null = null;

  constructor(request: LoadRequest, parts: LoaderParts) {
    this.#request = request;
    this.#parts = parts;
    parts.files.store.refresh();
    this.#seq = parts.files.store.numbers.get(SEQ);
    this.#rows = new Uint8Array(RECORDS_A_READ * this.#rowBytes);
  }

  /** What was read contains every write up to this number. */
  get seq(): number {
    return this.#seq;
  }

  /** Abandons the load; `run` resolves to null. */
  stop(): void {
    this.#stopping.abort();
  }

  /** @returns the namespace, published up to the newest write; null when stopped. @throws ArenaFull */
  async run(): Promise<NamespaceSegments | null> {
    let memory: NamespaceSegments | undefined;
    try {
      const restored = this.#request.isFresh
        ? null
        : await this.#parts.restore(this.#request, this.#stopping.signal);
      memory = restored?.memory ?? (await this.#emptyMemory());
      if (restored === null) await this.#readRecords(memory);
      else {
        this.#seq = (restored.changedSeq ?? this.#seq + 1) - 1;
        await this.#fillTold(memory);
      }
      await this.#catchUp(memory);
      return memory;
    } catch (error) {
      if (memory !== undefined) this.#parts.release(memory);
      if (this.#stopping.signal.aborted) return null;
      throw error;
    }
  }

  /** A namespace without records, whose codes have the origin that the records need. */
  async #emptyMemory(): Promise<NamespaceSegments> {
    const { namespaceId, filterable, origin: start = null } = this.#request;
    const { files, pool } = this.#parts;
    const { dimension, metric } = pool.first;
    const rows: Float32Array[] = [];
    if (dimension !== null && metric !== 'dotproduct')
      for (const some of spreadRows(files, { namespaceId, dimension, count: ORIGIN_ROWS_MAX })) {
        rows.push(...some.map((row) => comparable(metric, row)));
        await this.#pause();
      }
    const origin = originOf(rows, start === null ? {} : { start });
    return NamespaceSegments.empty({ namespaceId, filterable, origin }, pool);
  }

  async #readRecords(memory: NamespaceSegments): Promise<void> {
    const { store } = this.#parts.files;
    store.refresh();
    const transaction = store.env.useReadTransaction();
    this.#seq = store.numbers.get(SEQ);
    const records = store.records.list(this.#request.namespaceId, 0, { transaction });
    try {
      let more = true;
      while (more) {
        more = this.#readSlice(memory, records);
        // After the last slice, too: many small namespaces in a row must not block the thread.
        await this.#pause();
      }
    } finally {
      // The cursor before its transaction: an open cursor would pin the snapshot, and its pages, for ever.
      records.return(undefined);
      transaction.done();
    }
  }

  /** Yields the thread. @throws when stopped */
  async #pause(): Promise<void> {
    await new Promise(setImmediate);
    this.#stopping.signal.throwIfAborted();
  }

  get #rowBytes(): number {
    return (this.#parts.pool.first.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  }

  #readSlice(memory: NamespaceSegments, records: Iterator<LocatedRecord>): boolean {
    const end = performance.now() + SLICE_MS;
    do {
      const batch: LocatedRecord[] = [];
      while (batch.length < RECORDS_A_READ) {
        const next = records.next();
        if (next.done === true) break;
        batch.push(next.value);
      }
      this.#append(memory, batch);
      if (batch.length < RECORDS_A_READ) return false;
    } while (performance.now() < end);
    return true;
  }

  #append(memory: NamespaceSegments, batch: readonly LocatedRecord[]): void {
    for (let first = 0; first < batch.length; ) {
      const firstRow = batch[first]?.row ?? 0;
      let count = 1;
      while (batch[first + count]?.row === firstRow + count) count++;
      this.#parts.files.rowFile?.read(firstRow, count, this.#rows);
      for (let i = 0; i < count; i++) {
        const record = batch[first + i];
        if (record !== undefined) this.#appendOne(memory, record, i);
      }
      first += count;
    }
  }

  /** @param at index of the record's row among the rows just read */
  #appendOne(memory: NamespaceSegments, record: LocatedRecord, at: number): void {
    const { dimension } = this.#parts.pool.first;
    const values =
      dimension === null ? null : new Float32Array(this.#rows.buffer, at * this.#rowBytes, dimension);
    const metadata = record.metadataJson === null ? null : parseMetadata(record.metadataJson);
    const { id, row, sparse, rowSum } = record;
    const isWhole = values === null || rowSum === NO_ROW_SUM || rowSum === rowSumOf(bytesOf(values));
    if (!isWhole) throw this.#parts.files.store.records.damage(`row ${row} does not have its checksum`);
    memory.append({ id, row, values, sparse, metadata });
  }

  /**
   * Files of earlier releases lack what texts tell. It comes from the records: those that changed since the file are in
   * slots that the replay deletes.
   */
  async #fillTold(memory: NamespaceSegments): Promise<void> {
    for (const { data, slotCount } of memory.segments) {
      if (!data.columns.lacksTold) continue;
      const slots = data.live.slots(0, slotCount);
      for (let at = 0; at < slots.length; ) {
        at = this.#fillToldSlice(data, slots, at);
        await this.#pause();
      }
      data.columns.endTold();
    }
  }

  /** @returns the index of the first slot that is left */
  #fillToldSlice(data: SegmentData, slots: Uint32Array, from: number): number {
    const { store } = this.#parts.files;
    store.refresh();
    const end = performance.now() + SLICE_MS;
    let at = from;
    for (; at < slots.length && performance.now() < end; at++) {
      const slot = slots[at] ?? 0;
      const body = store.records.get(this.#request.namespaceId, data.slots.rowOf(slot));
      const metadata = body?.metadataJson ?? null;
      if (metadata !== null) data.columns.fillTold(slot, parseMetadata(metadata));
    }
    return at;
  }

  /** Replays later writes and publishes, in one turn with the last of them, so that no commit can intervene. */
  async #catchUp(memory: NamespaceSegments): Promise<void> {
    try {
      let newest = await this.#replayAll(memory);
      if (memory.segments.some(({ data }) => data.deletedTexts.isUnknown)) {
        await this.#recountTexts(memory);
        newest = await this.#replayAll(memory);
      }
      memory.publish(newest);
    } finally {
      this.#formers?.close();
      this.#formers = null;
    }
  }

  /** Replays later writes in slices. @returns the newest write; nothing was paused since it was read */
  async #replayAll(memory: NamespaceSegments): Promise<number> {
    const { store } = this.#parts.files;
    for (;;) {
      store.refresh();
      const newest = store.numbers.get(SEQ);
      if (this.#replaySlice(memory)) return newest;
      await this.#pause();
    }
  }

  /**
   * The log does not tell which texts the removed records had, so all that are left are counted. What is removed from now on
   * is looked up in the present state, so that this need not be done again in the turn that publishes.
   */
  async #recountTexts(memory: NamespaceSegments): Promise<void> {
    this.#formers = new FormerRecords(this.#parts.files.store, this.#request.namespaceId);
    let end = performance.now() + SLICE_MS;
    for (const segment of memory.segments)
      for (const _ of segment.recountTexts()) {
        if (performance.now() < end) continue;
        await this.#pause();
        end = performance.now() + SLICE_MS;
      }
  }

  /** @returns true when everything has been replayed */
  #replaySlice(memory: NamespaceSegments): boolean {
    const end = performance.now() + SLICE_MS;
    const { changes } = this.#parts.files.store;
    for (const { key, value } of changes.getRange({ start: seqKey(this.#seq + 1) })) {
      if (performance.now() > end) return false;
      for (const effect of decodeEffects(value)) {
        if (effect.namespaceId === this.#request.namespaceId) this.#replay(memory, effect);
      }
      this.#seq = seqOfKey(key);
    }
    return true;
  }

  #replay(memory: NamespaceSegments, effect: LoggedEffect): void {
    memory.markDeleted(effect.row, this.#formers?.find(effect.row) ?? UNKNOWN_RECORD);
    if (effect.kind !== 'add') return;
    const body = this.#parts.files.store.records.get(this.#request.namespaceId, effect.row);
    // Otherwise a later write removed the row; its own entry follows.
    if (body === undefined) return;
    this.#append(memory, [{ row: effect.row, ...body }]);
    this.#formers?.add(effect.row, body.metadataJson);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
