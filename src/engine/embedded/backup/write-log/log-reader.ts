// Reads the log of an index from its files, beside its writer: what each write of the history changed, with the records
// as that write left them.
//
// A record that was written is still as it was, or a later change has its former state. So later changes are looked at
// first, and what they replaced is remembered until its write has been read. Rows that these writes freed are not used
// again before the history has dropped them: where it has not by the end of a reading, everything read is right.
import { join } from 'node:path';
import type { PackedRecords } from '../../../port/packed-records.ts';
import { packBodies } from '../../../port/packed-records.ts';
import { encodeRecord } from '../../../port/record-codec.ts';
import { type ChangeToLog, encodeChange, type LogGap, type LogPart } from '../../../port/write-log.ts';
import { VisibleRecords } from '../../storage/branches/visible-records.ts';
import { changesIn, type NamespaceEvent, namespaceRowIn } from '../../storage/history/history-entries.ts';
import type { HistoryBatch, HistoryState } from '../../storage/history/history-table.ts';
import { closeFiles, openForReading, ROWS } from '../../storage/index-files.ts';
import { FileDamage } from '../../storage/integrity/damage.ts';
import { DIMENSION } from '../../storage/integrity/identity.ts';
import { NO_ROW_SUM, rowSumOf } from '../../storage/integrity/record-sums.ts';
import { rowKey } from '../../storage/keys.ts';
import { type RecordStore, SEQ } from '../../storage/record-store.ts';
import type { LocatedRecord } from '../../storage/record-table.ts';
import { RowFile } from '../../storage/row-file.ts';

/** Batches that are held in memory at a time; each has some 64 KiB. */
const BATCHES_A_PAGE = 16;
/** Records of one encoded change. */
const RECORDS_A_CHANGE = 256;
/** Replaced records that wait for their writes to be read. Beyond, a copy of the index takes less. */
const REPLACED_BYTES_MAX = 128 * 2 ** 20;
const REPLACED_OVERHEAD_BYTES = 200;
const NO_HISTORY = 'no history is kept';
const DROPPED = 'the history was dropped while it was read';
const LOST = 'a branch was dropped before all that it showed of its source was read';

/** What is to be read is not there any more. */
class Lost extends Error {}

interface Place {
  readonly seq: number;
  readonly part: number;
}

/** An encoded change, or that there is nothing more at present. */
type Read = { readonly bytes: Buffer; readonly place: Place; readonly ms: number } | null;

export class LogReader {
  readonly #folder: string;
  readonly #store: RecordStore;
  /** Null on sparse indexes, and until there are writes. */
  #rowFile: RowFile | null = null;
  /** All writes up to this one have been read. */
  #complete: { lsn: number; ms: number };
  #reading: Generator<Read>;
  /** The next one, which has been read but did not fit. */
  #pending: Read = null;
  /** States that later writes replaced, by namespace, id and the write that they are of. */
  readonly #replaced = new Map<string, LocatedRecord>();
  #replacedBytes = 0;
  #scanned: Place;

  private constructor(folder: string, store: RecordStore, after: number) {
    this.#folder = folder;
    this.#store = store;
    this.#complete = { lsn: after, ms: 0 };
    this.#scanned = { seq: after, part: Number.POSITIVE_INFINITY };
    this.#reading = this.#read(after);
  }

  /** Null where there are no files. */
  static open(folder: string, after: number): LogReader | null {
    try {
      return new LogReader(folder, openForReading(folder, null).store, after);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /** The write up to which it has read. */
  get lsn(): number {
    return this.#complete.lsn;
  }

  async close(): Promise<void> {
    await closeFiles({ store: this.#store, rowFile: this.#rowFile });
  }

  /**
   * The next changes, about `bytesMax` of them and one at least. After a gap, it cannot go on.
   * @throws FileDamage
   */
  next(bytesMax: number): LogPart | LogGap {
    const state = this.#look();
    const last = this.#store.numbers.get(SEQ);
    // A history is stored with the first write that it has.
    if (last === this.#complete.lsn && this.#pending === null)
      return { bytes: new Uint8Array(0), changes: 0, toLsn: last, toMs: this.#complete.ms, hasMore: false };
    const gap = this.#gapIn(state, last);
    if (gap !== null || state === null) return { gap: gap ?? NO_HISTORY };
    this.#openRows();
    this.#scan(state.toSeq);
    if (this.#replacedBytes > REPLACED_BYTES_MAX) return { gap: 'too much was overwritten' };
    const { lsn } = this.#complete;
    let part: LogPart;
    try {
      part = this.#collect(state, bytesMax);
    } catch (error) {
      if (this.#isDropped(lsn)) return { gap: DROPPED };
      if (error instanceof Lost) return { gap: error.message };
      throw error;
    }
    return this.#isDropped(lsn) ? { gap: DROPPED } : part;
  }

  /** The latest state, which later reads of this turn show, too. */
  #look(): HistoryState | null {
    const store = this.#store;
    store.refresh();
    store.hold();
    return store.history.state();
  }

  /** True when rows that writes after this one freed may be used again. */
  #isDropped(lsn: number): boolean {
    const state = this.#look();
    return state === null || state.fromSeq > lsn;
  }

  /**
   * Only now that there are writes: whoever opens the files while their index is being made finds neither its dimension
   * nor its rows, and would take it for a sparse one.
   */
  #openRows(): void {
    const dimension = this.#store.numbers.get(DIMENSION);
    if (dimension > 0) this.#rowFile ??= RowFile.openForReading(join(this.#folder, ROWS), dimension);
  }

  #gapIn(state: HistoryState | null, last: number): string | null {
    if (state === null) return NO_HISTORY;
    const { lsn } = this.#complete;
    if (state.toSeq !== last) return 'writes are missing in the history';
    if (lsn < state.fromSeq) return `the history begins after write ${state.fromSeq}`;
    if (lsn > state.toSeq) return `the last write is ${state.toSeq}`;
    return null;
  }

  #collect({ toSeq, lastMs }: HistoryState, bytesMax: number): LogPart {
    const taken: Buffer[] = [];
    let bytes = 0;
    let read = this.#pending ?? this.#pull();
    for (; read !== null && (bytes < bytesMax || taken.length === 0); read = this.#pull()) {
      taken.push(read.bytes);
      bytes += read.bytes.length;
      this.#complete = { lsn: Math.max(this.#complete.lsn, read.place.seq - 1), ms: read.ms };
    }
    this.#pending = read;
    if (read === null) {
      this.#complete = { lsn: toSeq, ms: lastMs };
      this.#replaced.clear();
      this.#replacedBytes = 0;
    } else {
      // The write of the one that is left may have begun.
      this.#complete.lsn = Math.max(this.#complete.lsn, read.place.seq - 1);
    }
    const { lsn: toLsn, ms: toMs } = this.#complete;
    return { bytes: joined(taken, bytes), changes: taken.length, toLsn, toMs, hasMore: read !== null };
  }

  #pull(): Read {
    const { done, value } = this.#reading.next();
    return done === true ? null : value;
  }

  /** Never ends: where there is nothing more, it yields null. */
  *#read(after: number): Generator<Read> {
    let place: Place = { seq: after, part: Number.POSITIVE_INFINITY };
    for (;;) {
      const page = this.#page(place);
      if (page.length === 0) yield null;
      for (const batch of page) {
        const { seq, part } = batch;
        place = { seq, part };
        for (const change of this.#changesOf(batch))
          yield { bytes: encodeChange(change), place, ms: batch.header.ms };
      }
    }
  }

  #page({ seq, part }: Place): readonly HistoryBatch[] {
    const page: HistoryBatch[] = [];
    for (const batch of this.#store.history.batches({ after: seq - 1 })) {
      if (batch.seq === seq && batch.part <= part) continue;
      page.push(batch);
      if (page.length === BATCHES_A_PAGE) break;
    }
    return page;
  }

  *#changesOf(batch: HistoryBatch): Generator<ChangeToLog> {
    const { seq: lsn, namespaceId, header, value } = batch;
    const { kind, cause, ms, namespace } = header;
    const common = { lsn, ms, namespace };
    switch (kind) {
      case 'create-namespace': {
        const row = namespaceRowIn(value);
        yield { ...common, kind, schema: row.schema, isExplicit: row.isExplicit };
        if (cause !== 'publish' && cause !== 'branch') break;
        if (cause === 'branch')
          for (const records of this.#shownBy(namespaceId, lsn))
            yield { ...common, kind: 'put', records: this.#pack(records, true) };
        for (const records of this.#stateOf(namespaceId, lsn))
          yield { ...common, kind: 'put', records: this.#pack(records, true) };
        if (cause === 'branch' && this.#wasLost(batch)) throw new Lost(LOST);
        break;
      }
      case 'delete-namespace':
        yield { ...common, kind: 'drop-namespace' };
        break;
      case 'delete':
        yield { ...common, kind: 'remove', ids: [...changesIn(value)].map(({ id }) => id) };
        break;
      default:
        for (const changes of inGroups([...changesIn(value)])) {
          const records = changes.map(({ id }) => this.#written(namespaceId, id, lsn));
          const isPut = kind === 'upsert';
          yield { ...common, kind: isPut ? 'put' : 'rewrite', records: this.#pack(records, isPut) };
        }
    }
  }

  /** A record as a write left it. @throws FileDamage */
  #written(namespaceId: number, id: string, seq: number): LocatedRecord {
    const { records, path } = this.#store;
    const row = records.rowOfId(namespaceId, id);
    const body = row === undefined ? undefined : records.get(namespaceId, row);
    if (row !== undefined && body?.seq === seq && body.id === id) return { row, ...body };
    const replaced = this.#replaced.get(keyOf(namespaceId, id, seq));
    if (replaced === undefined)
      throw new FileDamage(path, `record ${JSON.stringify(id)} of write ${seq} is in no place`);
    return replaced;
  }

  /** All records of a namespace right after a write: those that are still as they were, then what later ones replaced. */
  *#stateOf(namespaceId: number, seq: number): Generator<readonly LocatedRecord[]> {
    const { records } = this.#store;
    // A prefix of the first row's key sorts before it.
    let after: Buffer = rowKey(namespaceId, 0).subarray(0, -1);
    for (;;) {
      const page = records
        .listFrom(after, RECORDS_A_CHANGE)
        .filter((record) => record.namespaceId === namespaceId);
      const last = page.at(-1);
      if (last === undefined) break;
      yield page.filter((record) => record.seq <= seq);
      after = Buffer.from(last.key, 'hex');
    }
    let place: Place = { seq, part: Number.POSITIVE_INFINITY };
    for (;;) {
      const page = this.#page(place);
      for (const batch of page) {
        place = { seq: batch.seq, part: batch.part };
        if (batch.namespaceId !== namespaceId || !hasImages(batch)) continue;
        const then = [...changesIn(batch.value)].flatMap(({ before }) =>
          before !== null && before.seq <= seq ? before : [],
        );
        for (const group of inGroups(then)) yield group;
      }
      if (page.length === 0) return;
    }
  }

  /** Records of a branch that are still as they were right after a write, those of its source among them. */
  *#shownBy(namespaceId: number, seq: number): Generator<readonly LocatedRecord[]> {
    const store = this.#store;
    for (let after: string | null = null; ; ) {
      const shown: LocatedRecord[] = [];
      let looked = 0;
      for (const { id, owner, row } of new VisibleRecords(store).listIds(namespaceId, {
        prefix: '',
        after,
      })) {
        after = id;
        const body = store.records.get(owner, row);
        if (body !== undefined && body.seq <= seq) shown.push({ row, ...body });
        if (++looked === RECORDS_A_CHANGE) break;
      }
      if (shown.length > 0) yield shown;
      if (looked < RECORDS_A_CHANGE) return;
    }
  }

  /** Whether a branch was dropped while it showed records of its source, which then is not known any more. */
  #wasLost({ seq, namespaceId, header }: HistoryBatch): boolean {
    const isMeant = ({ kind, row }: NamespaceEvent) =>
      kind === 'delete-namespace' && row.namespaceId === namespaceId && row.inherited !== undefined;
    return this.#store.history.firstEvent(header.namespace, seq, isMeant) !== null;
  }

  /** Remembers what the changes since the last look replaced, where its writes have not been read. */
  #scan(upTo: number): void {
    const { lsn } = this.#complete;
    for (const batch of this.#store.history.batches({ after: this.#scanned.seq, upTo })) {
      this.#scanned = { seq: batch.seq, part: batch.part };
      if (!hasImages(batch)) continue;
      for (const { before } of changesIn(batch.value)) {
        if (before === null || before.seq <= lsn) continue;
        // The last one wins: a write may change a record twice.
        this.#replaced.set(keyOf(batch.namespaceId, before.id, before.seq), before);
        this.#replacedBytes += REPLACED_OVERHEAD_BYTES + (before.metadataJson?.length ?? 0);
        if (this.#replacedBytes > REPLACED_BYTES_MAX) return;
      }
    }
    this.#scanned = { seq: upTo, part: Number.POSITIVE_INFINITY };
  }

  #pack(records: readonly LocatedRecord[], withValues: boolean): PackedRecords {
    const bodies = packBodies(records.map((record) => encodeRecord({ ...record, seq: 0 })));
    return { count: records.length, values: withValues ? this.#values(records) : null, bodies };
  }

  #values(records: readonly LocatedRecord[]): Float32Array<ArrayBuffer> | null {
    const rowFile = this.#rowFile;
    const store = this.#store;
    if (rowFile === null) return null;
    const rowBytes = store.numbers.get(DIMENSION) * Float32Array.BYTES_PER_ELEMENT;
    const bytes = new Uint8Array(records.length * rowBytes);
    rowFile.readRows(
      records.map(({ row }) => row),
      bytes,
    );
    records.forEach(({ row, rowSum }, i) => {
      const own = bytes.subarray(i * rowBytes, (i + 1) * rowBytes);
      if (rowSum !== NO_ROW_SUM && rowSum !== rowSumOf(own))
        throw new FileDamage(store.path, `row ${row} does not have its checksum`);
    });
    return new Float32Array(bytes.buffer);
  }
}

function joined(pieces: readonly Buffer[], bytes: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(new ArrayBuffer(bytes));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function hasImages({ header: { kind } }: HistoryBatch): boolean {
  return kind !== 'create-namespace' && kind !== 'delete-namespace';
}

function keyOf(namespaceId: number, id: string, seq: number): string {
  return `${namespaceId} ${seq} ${id}`;
}

function* inGroups<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let first = 0; first < items.length; first += RECORDS_A_CHANGE)
    yield items.slice(first, first + RECORDS_A_CHANGE);
}
