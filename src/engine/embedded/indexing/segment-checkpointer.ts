// Decides when a segment's file is due, and keeps files and ledger in step with the records they are derived from.
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import { changedSeqOf, type DerivedLedger } from './derived-ledger.ts';
import type { LoadRequest } from './namespace-loader.ts';
import { SegmentFiles } from './segment-files.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Changes since the last file, as a share of the slots, that make a new one due at once, and when nothing happens. */
const CHANGED_SHARE = 0.25;
const CHANGED_SHARE_IDLE = 0.01;
/** Effects in the change log, 12 bytes each, for which a namespace in memory is saved again, and for which another loses its files. */
const BACKLOG_LOADED_MAX = 1_000_000;
const BACKLOG_MAX = 10_000_000;
/** After a failure; a full disk stays full for a while. */
const RETRY_MS = 60_000;

export type Submit = (steps: (txn: WriteTransaction) => void) => Promise<unknown>;

/** Which of how many segments of its namespace. */
interface Place {
  readonly generation: string;
  readonly number: number;
  readonly count: number;
  /** False once the segment has left memory, and writes with it. */
  readonly isCurrent: () => boolean;
}

interface Kept {
  /** `SegmentWriter.changes` when its file was made. */
  readonly changes: number;
  readonly notBefore: number;
}

export class SegmentCheckpointer {
  readonly #files: SegmentFiles;
  readonly #ledger: DerivedLedger;
  readonly #submit: Submit;
  readonly #idleMs: number;
  readonly #kept = new WeakMap<SegmentWriter, Kept>();
  readonly #closing = new AbortController();
  /** What is done with a space's files, one after the other. */
  readonly #last = new Map<number, Promise<unknown>>();

  constructor(
    files: SegmentFiles,
    ledger: DerivedLedger,
    options: { readonly submit: Submit; readonly idleMs: number },
  ) {
    this.#files = files;
    this.#ledger = ledger;
    this.#submit = options.submit;
    this.#idleMs = options.idleMs;
    files.keepOnly(ledger.segmentCounts());
  }

  /** True when the segment's file holds all but the few changes that are not worth a new one. */
  isSaved(segment: SegmentWriter): boolean {
    const kept = this.#kept.get(segment);
    return kept !== undefined && segment.changes - kept.changes < CHANGED_SHARE_IDLE * segment.slotCount;
  }

  /** True when a new file of the segment is worth its writing. */
  isDue(segment: SegmentWriter): boolean {
    if (!segment.data.isSavable) return false;
    const { changes, notBefore } = this.#kept.get(segment) ?? { changes: 0, notBefore: 0 };
    const now = performance.now();
    const isOverdue = this.#ledger.backlog(segment.namespaceId) > BACKLOG_LOADED_MAX;
    if (now < notBefore || (segment.changes === changes && !isOverdue)) return false;
    const share = (segment.changes - changes) / Math.max(1, segment.slotCount);
    const isQuiet = now - segment.changedAt >= this.#idleMs;
    return share >= CHANGED_SHARE || (share >= CHANGED_SHARE_IDLE && isQuiet) || isOverdue;
  }

  /** Writes the file of one of a namespace's segments. No job may be at work on it. Never rejects. */
  save(segment: SegmentWriter, place: Place): Promise<void> {
    return this.#inTurn(segment.namespaceId, () => this.#save(segment, place));
  }

  /** Brings a namespace back from its files. Null when there are none of use. @throws ArenaFull */
  restore(
    space: LoadRequest,
    { pool, signal }: { readonly pool: MemoryPool; readonly signal: AbortSignal },
  ): Promise<{ readonly memory: NamespaceSegments; readonly changedSeq: number | null } | null> {
    if (this.#ledger.row(space.namespaceId) === null) return Promise.resolve(null);
    return this.#inTurn(space.namespaceId, () => this.#restore(space, { pool, signal }));
  }

  /** The files of a namespace are good no more. Never rejects. */
  discard(namespaceId: number): Promise<void> {
    if (this.#ledger.row(namespaceId) === null) return Promise.resolve();
    return this.#inTurn(namespaceId, () => this.#discard(namespaceId));
  }

  async #save(segment: SegmentWriter, { generation, number, count, isCurrent }: Place): Promise<void> {
    const { namespaceId, changes } = segment;
    const tag = SegmentFiles.newTag();
    const { signal } = this.#closing;
    const inPlace = this.#files.tagOf(namespaceId, number);
    try {
      if (this.#kept.get(segment)?.changes === changes) {
        await this.#submit((txn) => {
          if (isCurrent() && segment.changes === changes) txn.derived.settle(namespaceId, number);
        });
        return;
      }
      await this.#submit((txn) => {
        if (isCurrent()) txn.derived.begin(namespaceId, { generation, number, count, tag, inPlace });
      });
      // No commit can lie between this look and the file's content.
      if (!isCurrent()) return;
      await this.#files.save(segment, { number, tag, signal });
      await this.#submit((txn) => txn.derived.finish(namespaceId, number, tag));
      this.#kept.set(segment, { changes, notBefore: 0 });
      // The namespace may have been dropped, or read anew, while its file was written.
      this.#files.keepFirst(namespaceId, this.#ledger.row(namespaceId)?.segments.length ?? 0);
    } catch (error) {
      this.#kept.set(segment, { changes, notBefore: performance.now() + RETRY_MS });
      const isWanted = !signal.aborted && this.#ledger.row(namespaceId) !== null;
      if (isWanted) process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  async #restore(
    space: LoadRequest,
    { pool, signal }: { readonly pool: MemoryPool; readonly signal: AbortSignal },
  ): Promise<{ readonly memory: NamespaceSegments; readonly changedSeq: number | null } | null> {
    const row = this.#ledger.row(space.namespaceId);
    if (row === null) return null;
    const memory = await this.#files.load(space, row, { pool, signal });
    if (memory === null) {
      await this.#discard(space.namespaceId);
      return null;
    }
    for (const segment of memory.segments)
      this.#kept.set(segment, { changes: segment.changes, notBefore: 0 });
    return { memory, changedSeq: changedSeqOf(row) };
  }

  async #discard(namespaceId: number): Promise<void> {
    try {
      await this.#submit((txn) => txn.derived.remove(namespaceId));
    } catch (error) {
      // A full disk, most likely. The files stay as good as they were.
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  async #inTurn<Result>(namespaceId: number, work: () => Promise<Result>): Promise<Result> {
    const previous = this.#last.get(namespaceId);
    const turn = (previous ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.#last.set(namespaceId, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(namespaceId) === settled) this.#last.delete(namespaceId);
    }
  }

  /** After the commit of a transaction. Never throws. */
  note({ derived, effects }: Pick<WriteTransaction, 'derived' | 'effects'>): void {
    for (const namespaceId of this.#ledger.apply(derived, effects.length)) this.#files.remove(namespaceId);
  }

  /** Gives up the files of namespaces that will not be saved again, when the log has grown too long for them. */
  trimBacklog(isSavable: (namespaceId: number) => boolean): void {
    for (const namespaceId of this.#ledger.spaces())
      if (!isSavable(namespaceId) && this.#ledger.backlog(namespaceId) > BACKLOG_MAX)
        void this.discard(namespaceId);
  }

  /** Ends what is being written. */
  close(): void {
    this.#closing.abort();
  }
}
