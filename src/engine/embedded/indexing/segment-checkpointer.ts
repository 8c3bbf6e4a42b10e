// Decides when a segment is saved to a derived file, and keeps files and ledger consistent with the records.
import { setTimeout as pause } from 'node:timers/promises';
import type { NodeShape } from '../ann/graph-memory.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import { CodeVerification } from './code-verification.ts';
import type { CodeVerifier } from './code-verifier.ts';
import { changedSeqOf, type DerivedLedger } from './derived-ledger.ts';
import type { Warn } from './index-warnings.ts';
import type { LoadRequest } from './namespace-loader.ts';
import { SegmentFiles, UnreadableFile } from './segment-files.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Share of the slots that must have changed since the last file for a new one to be due: at once, and when idle. */
const CHANGED_SHARE = 0.25;
const CHANGED_SHARE_IDLE = 0.01;
/** Effects in the change log, 12 bytes each, after which a loaded namespace is saved again, and one on disk loses its files. */
const BACKLOG_LOADED_MAX = 1_000_000;
const BACKLOG_MAX = 10_000_000;
/** The same for one whose files are to be loaded, which may wait for memory for ever. */
const BACKLOG_WAITING_MAX = 4 * BACKLOG_MAX;
/** Delay after a failure; a full disk stays full for a while. */
const RETRY_MS = 60_000;
/** Delay while what was mapped of a file is being verified. */
const UNVERIFIED_MS = 1_000;
/** How often, and how many times, a file is tried that cannot be read while too many are open. */
const READ_AGAIN_MS = 200;
const READS_MAX = 150;

export type Submit = (steps: (txn: WriteTransaction) => void) => Promise<unknown>;

/** A segment's position among those of its namespace. */
interface Position {
  readonly generation: string;
  readonly number: number;
  readonly count: number;
  /** False once the segment has left memory and no longer follows writes. */
  readonly isCurrent: () => boolean;
}

/** What is still to be done for a namespace, by its number. */
interface Upkeep {
  /** True when it is in memory, and saved when that is due. */
  readonly isSaved: (namespaceId: number) => boolean;
  /** True when its files are being loaded, or wait for that. */
  readonly isWaiting: (namespaceId: number) => boolean;
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
  readonly #warn: Warn;
  /** By the id of the namespace whose files they are. */
  readonly #kept = new Map<number, WeakMap<SegmentWriter, Kept>>();
  readonly #closing = new AbortController();
  readonly verification: CodeVerification;
  /** The last operation on the files of each namespace: they run one after the other. */
  readonly #last = new Map<number, Promise<unknown>>();

  constructor(
    files: SegmentFiles,
    ledger: DerivedLedger,
    options: {
      readonly submit: Submit;
      readonly idleMs: number;
      readonly verifier: CodeVerifier;
      readonly warn: Warn;
    },
  ) {
    this.#files = files;
    this.#ledger = ledger;
    this.#submit = options.submit;
    this.#idleMs = options.idleMs;
    this.#warn = options.warn;
    this.verification = new CodeVerification(options.verifier);
    files.keepOnly(ledger.segmentCounts());
  }

  /** True when the segment's file lacks only changes too few to save. */
  isSaved(segment: SegmentWriter): boolean {
    const kept = this.#keptOf(segment);
    return kept !== undefined && segment.changes - kept.changes < CHANGED_SHARE_IDLE * segment.slotCount;
  }

  /**
   * True when the segment should be saved now.
   * @param isGrowing whether its graph is behind: then a hundredth more is not worth a file, since the next will follow soon
   */
  isDue(segment: SegmentWriter, isGrowing: boolean): boolean {
    const { changes, notBefore } = this.#keptOf(segment) ?? { changes: 0, notBefore: 0 };
    const now = performance.now();
    const isOverdue = this.#ledger.backlog(segment.namespaceId).most > BACKLOG_LOADED_MAX;
    if (now < notBefore || (segment.changes === changes && !isOverdue)) return false;
    const share = (segment.changes - changes) / Math.max(1, segment.slotCount);
    const isQuiet = !isGrowing && now - segment.changedAt >= this.#idleMs;
    return share >= CHANGED_SHARE || (share >= CHANGED_SHARE_IDLE && isQuiet) || isOverdue;
  }

  /**
   * True while the namespace has whole files of another load than this, which the first file of this one would make useless.
   * Not when the change log would grow too long for them.
   */
  hasOtherFiles({ namespaceId, generation }: Pick<NamespaceSegments, 'namespaceId' | 'generation'>): boolean {
    const row = this.#ledger.row(namespaceId);
    if (row === null || row.generation === generation) return false;
    return (
      row.segments.every(({ tags }) => tags.length > 0) &&
      this.#ledger.backlog(namespaceId).least < BACKLOG_MAX
    );
  }

  /** True when all files of the namespace have graphs of this shape, which the next load can use. */
  hasGraphs(namespaceId: number, shape: NodeShape): boolean {
    const count = this.#ledger.row(namespaceId)?.segments.length ?? 0;
    return count > 0 && this.#files.haveGraphs(namespaceId, count, shape);
  }

  /** Writes the file of a segment. No job may be running on its graph. Never rejects. */
  save(segment: SegmentWriter, position: Position): Promise<void> {
    if (this.verification.isDoubtful(position.generation)) {
      this.#putOff(segment, UNVERIFIED_MS);
      return Promise.resolve();
    }
    return this.#inTurn(segment.namespaceId, () => this.#save(segment, position));
  }

  /** Restores a namespace from its files; null when there are none of use that can be read. @throws ArenaFull */
  restore(
    request: LoadRequest,
    { pool, signal }: { readonly pool: MemoryPool; readonly signal: AbortSignal },
  ): Promise<{ readonly memory: NamespaceSegments; readonly changedSeq: number | null } | null> {
    if (this.#ledger.row(request.namespaceId) === null) return Promise.resolve(null);
    return this.#inTurn(request.namespaceId, () => this.#restore(request, { pool, signal }));
  }

  /** Invalidates and removes the files of a namespace. Never rejects. */
  discard(namespaceId: number): Promise<void> {
    if (this.#ledger.row(namespaceId) === null) return Promise.resolve();
    return this.#inTurn(namespaceId, () => this.#discard(namespaceId));
  }

  async #save(segment: SegmentWriter, { generation, number, count, isCurrent }: Position): Promise<void> {
    const { namespaceId, changes } = segment;
    const tag = SegmentFiles.newTag();
    const { signal } = this.#closing;
    try {
      const inPlace = this.#files.tagOf(namespaceId, number);
      if (this.#keptOf(segment)?.changes === changes) {
        await this.#submit((txn) => {
          if (isCurrent() && segment.changes === changes) txn.derived.settle(namespaceId, number);
        });
        return;
      }
      await this.#submit((txn) => {
        if (isCurrent()) txn.derived.begin(namespaceId, { generation, number, count, tag, inPlace });
      });
      // No commit can intervene between this check and the file's content.
      if (!isCurrent()) return;
      await this.#files.save(segment, { number, tag, signal });
      await this.#submit((txn) => txn.derived.finish(namespaceId, number, tag));
      this.#keep(segment, { changes, notBefore: 0 });
      // The namespace may have been dropped or reloaded while its file was written.
      this.#files.keepFirst(namespaceId, this.#ledger.row(namespaceId)?.segments.length ?? 0);
    } catch (error) {
      this.#putOff(segment, RETRY_MS);
      const isWanted = !signal.aborted && this.#ledger.row(namespaceId) !== null;
      if (isWanted) this.#warn(error);
    }
  }

  #putOff(segment: SegmentWriter, ms: number): void {
    const changes = this.#keptOf(segment)?.changes ?? 0;
    this.#keep(segment, { changes, notBefore: performance.now() + ms });
  }

  #keptOf(segment: SegmentWriter): Kept | undefined {
    return this.#kept.get(segment.namespaceId)?.get(segment);
  }

  #keep(segment: SegmentWriter, kept: Kept): void {
    const ofNamespace = this.#kept.get(segment.namespaceId) ?? new WeakMap<SegmentWriter, Kept>();
    this.#kept.set(segment.namespaceId, ofNamespace.set(segment, kept));
  }

  async #restore(
    request: LoadRequest,
    { pool, signal }: { readonly pool: MemoryPool; readonly signal: AbortSignal },
  ): Promise<{ readonly memory: NamespaceSegments; readonly changedSeq: number | null } | null> {
    const row = this.#ledger.row(request.namespaceId);
    if (row === null) return null;
    const loaded = await this.#whenReadable(() => this.#files.load(request, row, { pool, signal }), signal);
    // What cannot be read may be whole, and serve the next load.
    if (loaded === 'unreadable' || loaded === 'unfit') return null;
    if (loaded === null) {
      await this.#discard(request.namespaceId);
      return null;
    }
    const { memory, mapped } = loaded;
    if (mapped.length > 0) void this.verification.begin(memory, mapped, () => this.#noteDamage(memory));
    for (const segment of memory.segments) this.#keep(segment, { changes: segment.changes, notBefore: 0 });
    return { memory, changedSeq: changedSeqOf(row) };
  }

  /** The files of the generation go; what is in memory of it is to be loaded anew. */
  #noteDamage({ namespaceId, generation }: NamespaceSegments): void {
    this.#warn(`a derived file of namespace ${namespaceId} is damaged, and made anew`);
    void this.#inTurn(namespaceId, async () => {
      if (this.#ledger.row(namespaceId)?.generation === generation) await this.#discard(namespaceId);
    });
  }

  /** Tries again as long as too many files are open. @throws the signal's reason */
  async #whenReadable<Loaded>(
    load: () => Promise<Loaded>,
    signal: AbortSignal,
  ): Promise<Loaded | 'unreadable'> {
    for (let reads = 1; ; reads++) {
      try {
        return await load();
      } catch (error) {
        if (!(error instanceof UnreadableFile)) throw error;
        if (error.isPassing && reads < READS_MAX) await pause(READ_AGAIN_MS, undefined, { signal });
        else {
          this.#warn(error);
          return 'unreadable';
        }
      }
    }
  }

  async #discard(namespaceId: number): Promise<void> {
    try {
      await this.#submit((txn) => txn.derived.remove(namespaceId));
    } catch (error) {
      // A full disk, most likely. The files stay valid.
      this.#warn(error);
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

  /** Call after the commit of a transaction. Never throws. */
  note({ derived, effects }: Pick<WriteTransaction, 'derived' | 'effects'>): void {
    for (const namespaceId of this.#ledger.apply(derived, effects.length)) {
      this.#files.remove(namespaceId);
      // What is in memory of it has no files any more, and may be saved anew.
      this.#kept.delete(namespaceId);
    }
  }

  /** Removes the files of namespaces that will not be saved again and surely keep too much of the change log. */
  trimBacklog({ isSaved, isWaiting }: Upkeep): void {
    for (const namespaceId of this.#ledger.namespaceIds()) {
      const max = isWaiting(namespaceId) ? BACKLOG_WAITING_MAX : BACKLOG_MAX;
      if (!isSaved(namespaceId) && this.#ledger.backlog(namespaceId).least > max)
        void this.discard(namespaceId);
    }
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Aborts what is being written, and verified. */
  close(): void {
    this.verification.end();
    this.#closing.abort();
  }
}
