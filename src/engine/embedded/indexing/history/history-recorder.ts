// Collects what a transaction changes, for the history of the index.
import type { HistoryCause, HistoryKind } from '../../../port/index-history.ts';
import { encodeAbsent, encodeBatch, encodeImage } from '../../storage/history/history-entries.ts';
import type { HistoryState, HistoryTable } from '../../storage/history/history-table.ts';
import { unsureMoments } from '../../storage/history/writes-by-time.ts';
import { encodeNamespaceRow, type NamespaceRow, shownBy } from '../../storage/namespace-table.ts';
import type { LocatedRecord } from '../../storage/record-table.ts';
import { isStagedName } from '../../storage/staged-names.ts';

/** Bytes of changes in one entry of the table. */
const BATCH_BYTES_MAX = 2 ** 16;

interface OpenBatch {
  readonly seq: number;
  readonly operation: number;
  readonly namespaceId: number;
  readonly namespace: string;
  readonly kind: HistoryKind;
  readonly cause: HistoryCause;
  readonly changes: Buffer[];
  bytes: number;
  heldBytes: number;
}

export interface RecorderOptions {
  readonly state: HistoryState;
  /** Of a row in the row file. */
  readonly rowBytes: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The write in which something changes. */
export interface WriteNumbers {
  readonly seq: number;
  /** Of the first write of the operation. */
  readonly operation: number;
}

type Place = Pick<NamespaceRow, 'namespaceId'> & { readonly name: string };

export class HistoryRecorder {
  /** Why the next changes are made. */
  cause: HistoryCause = 'request';
  readonly #table: HistoryTable;
  readonly #state: HistoryState;
  readonly #rowBytes: number;
  readonly #now: number;
  readonly #ms: number;
  #open: OpenBatch | null = null;
  #seq = -1;
  #part = 0;
  #bytes = 0;
  #changes = 0;
  #batches = 0;

  constructor(table: HistoryTable, { state, rowBytes, now }: RecorderOptions) {
    this.#table = table;
    this.#state = state;
    this.#rowBytes = rowBytes;
    this.#now = now;
    // A clock that was set back must not disorder the history.
    this.#ms = Math.max(now, state.lastMs);
  }

  /** Number of batches written so far. */
  get batches(): number {
    return this.#batches;
  }

  /** Notes a record that was written whole. @param before null where there was none */
  put(write: WriteNumbers, place: Place, { id, before }: { id: string; before: LocatedRecord | null }): void {
    const change = before === null ? encodeAbsent(id) : encodeImage(before);
    this.#note(write, place, { kind: 'upsert', change, heldBytes: before === null ? 0 : this.#rowBytes });
  }

  /** Notes a record whose vector stays where it is. */
  rewrite(write: WriteNumbers, place: Place, before: LocatedRecord): void {
    this.#note(write, place, { kind: 'update', change: encodeImage(before), heldBytes: 0 });
  }

  remove(write: WriteNumbers, place: Place, before: LocatedRecord): void {
    this.#note(write, place, { kind: 'delete', change: encodeImage(before), heldBytes: this.#rowBytes });
  }

  /** Notes a published namespace that was created or dropped. */
  namespace(
    write: WriteNumbers,
    name: string,
    { kind, row }: { readonly kind: 'create-namespace' | 'delete-namespace'; readonly row: NamespaceRow },
  ): void {
    if (isStagedName(name)) return;
    this.flush();
    // The records of one that a published namespace replaces have moved there.
    const isDrop = kind === 'delete-namespace' && this.cause !== 'publish';
    const batch: OpenBatch = {
      ...write,
      namespaceId: row.namespaceId,
      namespace: name,
      kind,
      cause: this.cause,
      changes: [encodeNamespaceRow(row)],
      bytes: 0,
      heldBytes: isDrop ? row.sizeBytes : 0,
    };
    const part = this.#write(batch, shownBy(row).records);
    this.#table.putEvent(name, { seq: write.seq, part }, { kind, cause: this.cause, row });
  }

  /** Writes what was collected. Call once, last. @returns the state of the history after the transaction */
  finish(seq: number): HistoryState {
    this.flush();
    const { bytes, changes } = this.#state;
    const unsure = unsureMoments(this.#table, this.#state, this.#now);
    return {
      ...this.#state,
      ...(this.#batches > 0 && { lastMs: this.#ms, unsure }),
      toSeq: seq,
      bytes: bytes + this.#bytes,
      changes: changes + this.#changes,
    };
  }

  #note(
    write: WriteNumbers,
    { name, namespaceId }: Place,
    {
      kind,
      change,
      heldBytes,
    }: { readonly kind: HistoryKind; readonly change: Buffer; readonly heldBytes: number },
  ): void {
    if (isStagedName(name)) return;
    const open = this.#open;
    const isSame =
      open !== null &&
      open.seq === write.seq &&
      open.namespaceId === namespaceId &&
      open.kind === kind &&
      open.cause === this.cause &&
      open.bytes < BATCH_BYTES_MAX;
    if (!isSame) this.flush();
    this.#open ??= {
      ...write,
      ...{ namespaceId, namespace: name, kind, cause: this.cause },
      ...{ changes: [], bytes: 0, heldBytes: 0 },
    };
    this.#open.changes.push(change);
    this.#open.bytes += change.length;
    this.#open.heldBytes += heldBytes;
  }

  /** Writes what was collected so far. */
  flush(): void {
    if (this.#open !== null) this.#write(this.#open, this.#open.changes.length);
    this.#open = null;
  }

  /** @returns its part */
  #write(batch: OpenBatch, count: number): number {
    const { seq, namespaceId, changes } = batch;
    if (seq !== this.#seq) this.#part = 0;
    this.#seq = seq;
    const part = this.#part++;
    const value = encodeBatch({ ...batch, ms: this.#ms, count }, changes);
    this.#table.put({ seq, part, namespaceId }, value);
    this.#bytes += value.length + batch.heldBytes;
    this.#changes += count;
    this.#batches++;
    return part;
  }
}
