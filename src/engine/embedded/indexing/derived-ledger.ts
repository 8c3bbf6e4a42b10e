// Which namespaces have derived files, and from which write on the change log must be replayed on them.
//
// A file is valid if its tag is in the ledger: files that were replaced, or came from elsewhere, are not. The first write
// after a checkpoint is recorded in that write's transaction, so that the log is never truncated too far. The changes of
// a transaction are kept apart until it commits: one that fails or is retried leaves no trace.
import type { DerivedRow, DerivedSegment } from '../storage/derived-table.ts';
import { type RecordStore, SEQ } from '../storage/record-store.ts';
import type { Effect } from './effects.ts';
import { type EffectsEstimate, loggedEffects } from './logged-effects.ts';

const NO_FILE: DerivedSegment = { tags: [], changedSeq: null, nextChangedSeq: null };

/** The changes of one transaction. */
export class LedgerChange {
  readonly #rows: ReadonlyMap<number, DerivedRow>;
  readonly #changed = new Map<number, DerivedRow | null>();

  constructor(rows: ReadonlyMap<number, DerivedRow>) {
    this.#rows = rows;
  }

  /** Rows by namespace id; null for removed ones. */
  get changed(): ReadonlyMap<number, DerivedRow | null> {
    return this.#changed;
  }

  row(namespaceId: number): DerivedRow | null {
    const changed = this.#changed.get(namespaceId);
    return changed === undefined ? (this.#rows.get(namespaceId) ?? null) : changed;
  }

  /**
   * Registers a file that is about to be written, of one of `count` segments. The row is of use only when all have files:
   * the log does not contain what they hold. `inPlace` is the tag of the file that it will replace.
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

  /** Marks the file with this tag as complete. No effect if the row was removed meanwhile. */
  finish(namespaceId: number, number: number, tag: string): void {
    const row = this.row(namespaceId);
    const written = row?.segments[number];
    if (row === null || !written?.tags.includes(tag)) return;
    const segments = [...row.segments];
    segments[number] = { tags: [tag], changedSeq: written.nextChangedSeq, nextChangedSeq: null };
    this.#changed.set(namespaceId, { ...row, segments });
  }

  /** Marks a segment as unchanged since its file: later writes went to other segments. */
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

  /** Records the writes of the transaction, the first of which is number `firstSeq`. Call once, last. */
  note(effects: readonly Effect[], firstSeq: number): void {
    for (const { kind, namespaceId } of effects) if (kind === 'drop') this.remove(namespaceId);
    for (const namespaceId of new Set(effects.map((effect) => effect.namespaceId))) {
      const row = this.row(namespaceId);
      const isFirstChange = row?.segments.some(
        (each) => each.changedSeq === null || each.nextChangedSeq === null,
      );
      if (row === null || !isFirstChange) continue;
      const segments = row.segments.map(({ tags, changedSeq, nextChangedSeq }) => ({
        tags,
        changedSeq: changedSeq ?? firstSeq,
        nextChangedSeq: nextChangedSeq ?? firstSeq,
      }));
      this.#changed.set(namespaceId, { ...row, segments });
    }
  }

  write(store: RecordStore): void {
    for (const [namespaceId, row] of this.#changed) store.derived.put(namespaceId, row);
  }
}

export class DerivedLedger {
  readonly #rows = new Map<number, DerivedRow>();
  /** Number of effects logged since each row's first change, if it has one: see `backlog`. */
  readonly #backlog = new Map<number, EffectsEstimate>();

  constructor(store: RecordStore) {
    for (const { namespaceId, row } of store.derived.list()) this.#rows.set(namespaceId, row);
    // What earlier processes have logged counts, or a process that never lives long would let the log grow for ever.
    const logged = loggedEffects(store.changes, store.numbers.get(SEQ) + 1);
    for (const [namespaceId, row] of this.#rows) {
      const changedSeq = changedSeqOf(row);
      if (changedSeq !== null) this.#backlog.set(namespaceId, logged(changedSeq));
    }
  }

  namespaceIds(): readonly number[] {
    return [...this.#rows.keys()];
  }

  /** Number of segment files of each namespace, planned ones included. */
  segmentCounts(): ReadonlyMap<number, number> {
    return new Map([...this.#rows].map(([namespaceId, { segments }]) => [namespaceId, segments.length]));
  }

  /** Null when the namespace has no files. */
  row(namespaceId: number): DerivedRow | null {
    return this.#rows.get(namespaceId) ?? null;
  }

  /** Starts the changes of one transaction. */
  change(): LedgerChange {
    return new LedgerChange(this.#rows);
  }

  /** Applies committed changes. @returns the ids of namespaces whose files are to be removed */
  apply({ changed }: LedgerChange, effects: number): readonly number[] {
    const removed: number[] = [];
    for (const [namespaceId, row] of changed) {
      const before = this.#rows.get(namespaceId);
      if (row === null) removed.push(namespaceId);
      if (row === null) this.#rows.delete(namespaceId);
      else this.#rows.set(namespaceId, row);
      const hasMoved =
        row === null || changedSeqOf(row) !== (before === undefined ? null : changedSeqOf(before));
      if (hasMoved) this.#backlog.delete(namespaceId);
    }
    for (const [namespaceId, row] of this.#rows) {
      if (changedSeqOf(row) === null) continue;
      const { least, most } = this.backlog(namespaceId);
      this.#backlog.set(namespaceId, { least: least + effects, most: most + effects });
    }
    return removed;
  }

  /** Number of effects that the log keeps for this namespace; those from before the index was opened are estimated. */
  backlog(namespaceId: number): EffectsEstimate {
    return this.#backlog.get(namespaceId) ?? { least: 0, most: 0 };
  }

  /** Number of the first change log entry that a file needs; Infinity for none. */
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
