// Which namespaces have derived files, and from which write on the change log has to make up for them.
//
// A file is good when its tag is in the ledger: one that was replaced, or came from elsewhere, is not. The first write
// after a file was made is noted in the same transaction as that write, so that the log is never cut too short. What a
// transaction changes is kept apart until it has been committed: one that fails, or is tried again, leaves no trace.
import type { DerivedRow, DerivedSegment, RecordStore } from '../storage/record-store.ts';
import type { Effect } from './effects.ts';

const NO_FILE: DerivedSegment = { tags: [], changedSeq: null, nextChangedSeq: null };

/** What one transaction changes. */
export class LedgerChange {
  readonly #rows: ReadonlyMap<number, DerivedRow>;
  readonly #changed = new Map<number, DerivedRow | null>();

  constructor(rows: ReadonlyMap<number, DerivedRow>) {
    this.#rows = rows;
  }

  /** Rows by space; null for those that go. */
  get changed(): ReadonlyMap<number, DerivedRow | null> {
    return this.#changed;
  }

  row(namespaceId: number): DerivedRow | null {
    const changed = this.#changed.get(namespaceId);
    return changed === undefined ? (this.#rows.get(namespaceId) ?? null) : changed;
  }

  /**
   * A file with this tag is about to be written, of one of `count` segments. The others need files, too, before the row
   * is of use: what they hold is not in the log. `inPlace` is the tag of the file that is there now.
   */
  begin(
    namespaceId: number,
    file: {
      readonly generation: string;
      readonly number: number;
      readonly count: number;
      readonly tag: string;
      readonly inPlace: string | null;
    },
  ): void {
    const { generation } = file;
    const row = this.row(namespaceId);
    const segments = row?.generation === generation ? [...row.segments] : [];
    while (segments.length < file.count) segments.push(NO_FILE);
    const { tags, changedSeq } = segments[file.number] ?? NO_FILE;
    const kept = tags.filter((tag) => tag === file.inPlace);
    segments[file.number] = { tags: [...kept, file.tag], changedSeq, nextChangedSeq: null };
    this.#changed.set(namespaceId, { generation, segments });
  }

  /** The file with this tag is in its place. No effect when the row has gone meanwhile. */
  finish(namespaceId: number, number: number, tag: string): void {
    const row = this.row(namespaceId);
    const written = row?.segments[number];
    if (row === null || !written?.tags.includes(tag)) return;
    const segments = [...row.segments];
    segments[number] = { tags: [tag], changedSeq: written.nextChangedSeq, nextChangedSeq: null };
    this.#changed.set(namespaceId, { ...row, segments });
  }

  /** A segment is still as in its file: whatever was written since lies in others. */
  settle(namespaceId: number, number: number): void {
    const row = this.row(namespaceId);
    const segment = row?.segments[number];
    if (row === null || segment === undefined) return;
    const segments = [...row.segments];
    segments[number] = { ...segment, changedSeq: null, nextChangedSeq: null };
    this.#changed.set(namespaceId, { ...row, segments });
  }

  remove(namespaceId: number): void {
    if (this.row(namespaceId) !== null) this.#changed.set(namespaceId, null);
  }

  /** Notes the writes of the transaction, the first of which has this number. Call once, last. */
  note(effects: readonly Effect[], firstSeq: number): void {
    for (const { kind, namespaceId } of effects) if (kind === 'drop') this.remove(namespaceId);
    for (const namespaceId of new Set(effects.map((effect) => effect.namespaceId))) {
      const row = this.row(namespaceId);
      const isNews = row?.segments.some((each) => each.changedSeq === null || each.nextChangedSeq === null);
      if (row === null || !isNews) continue;
      const segments = row.segments.map(({ tags, changedSeq, nextChangedSeq }) => ({
        tags,
        changedSeq: changedSeq ?? firstSeq,
        nextChangedSeq: nextChangedSeq ?? firstSeq,
      }));
      this.#changed.set(namespaceId, { ...row, segments });
    }
  }

  write(store: RecordStore): void {
    for (const [namespaceId, row] of this.#changed) store.putDerived(namespaceId, row);
  }
}

export class DerivedLedger {
  readonly #rows = new Map<number, DerivedRow>();
  /** Effects logged since the row's first change, for each row that has one. */
  readonly #backlog = new Map<number, number>();

  constructor(store: RecordStore) {
    for (const { namespaceId, row } of store.derivedRows()) this.#rows.set(namespaceId, row);
  }

  spaces(): readonly number[] {
    return [...this.#rows.keys()];
  }

  /** How many segments each space has files of, or is to have. */
  segmentCounts(): ReadonlyMap<number, number> {
    return new Map([...this.#rows].map(([namespaceId, { segments }]) => [namespaceId, segments.length]));
  }

  /** Null when the space has no files. */
  row(namespaceId: number): DerivedRow | null {
    return this.#rows.get(namespaceId) ?? null;
  }

  /** For one transaction. */
  change(): LedgerChange {
    return new LedgerChange(this.#rows);
  }

  /** After the commit. @returns the spaces whose files are to go */
  apply({ changed }: LedgerChange, effects: number): readonly number[] {
    const removed: number[] = [];
    for (const [namespaceId, row] of changed) {
      const before = this.#rows.get(namespaceId);
      if (row === null) removed.push(namespaceId);
      if (row === null) this.#rows.delete(namespaceId);
      else this.#rows.set(namespaceId, row);
      const isMovedOn =
        row === null || changedSeqOf(row) !== (before === undefined ? null : changedSeqOf(before));
      if (isMovedOn) this.#backlog.delete(namespaceId);
    }
    for (const [namespaceId, row] of this.#rows)
      if (changedSeqOf(row) !== null) this.#backlog.set(namespaceId, this.backlog(namespaceId) + effects);
    return removed;
  }

  /** Effects that the log is kept for on behalf of this space, counted since the start of the process. */
  backlog(namespaceId: number): number {
    return this.#backlog.get(namespaceId) ?? 0;
  }

  /** First change log entry that a file needs; Infinity for none. */
  changesNeededFrom(): number {
    let needed = Number.POSITIVE_INFINITY;
    for (const row of this.#rows.values()) needed = Math.min(needed, changedSeqOf(row) ?? needed);
    return needed;
  }
}

/** At or before the first write since any of the files; null when there was none. */
export function changedSeqOf({ segments }: DerivedRow): number | null {
  const seqs = segments.flatMap(({ changedSeq }) => changedSeq ?? []);
  return seqs.length === 0 ? null : Math.min(...seqs);
}
