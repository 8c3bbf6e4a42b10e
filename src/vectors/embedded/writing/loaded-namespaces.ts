// The namespaces of an index that are held in shared memory: loads them on request, keeps them in step with
// commits, replaces those that have grown mostly dead, and tells every reader about their structure.
import { ArenaFull } from '../memory/allocator.ts';
import type { Epochs } from '../memory/epochs.ts';
import type { MemoryContext, NamespaceMemory } from '../memory/namespace-memory.ts';
import type { NamespaceStructure, StructureDelta } from '../memory/structure.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { spaceKey } from '../storage/keys.ts';
import type { Effect } from './effects.ts';
import { NamespaceLoader } from './namespace-loader.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Below this many dead slots a reload is not worth it. */
const DEAD_SLOTS_MIN = 1_024;
/** Loaded at a time: more are done no sooner, but each holds a snapshot and makes writes wait for a slice. */
const LOADS_MAX = 4;
/** Remembered pairs of sequence number and epoch; older ones merge into the next. */
const RETIRED_SEQS_MAX = 1_024;

export type Announce = (delta: StructureDelta) => void;

export class LoadedNamespaces {
  readonly #context: MemoryContext;
  readonly #files: IndexFiles;
  readonly #epochs: Epochs;
  readonly #announce: Announce;
  readonly #memories = new Map<number, NamespaceMemory>();
  readonly #loaders = new Map<number, NamespaceLoader>();
  /** Spaces that do not fit or cannot be loaded; they are searched straight from their records. */
  readonly #tooLarge = new Set<number>();
  /** Spaces to load when others are done, with their filterable fields. */
  readonly #waiting = new Map<number, readonly string[] | null>();
  #running = 0;
  #retiredSeqs: { seq: number; epoch: number }[] = [];
  #reusableSeq: number;

  constructor(
    context: MemoryContext,
    files: IndexFiles,
    options: { epochs: Epochs; announce: Announce; seq: number },
  ) {
    this.#context = context;
    this.#files = files;
    this.#epochs = options.epochs;
    this.#announce = options.announce;
    // No reader of this process can hold anything from before it opened the index.
    this.#reusableSeq = options.seq;
  }

  structures(): readonly NamespaceStructure[] {
    return [...this.#memories.values()].map((memory) => memory.structure());
  }

  spacesTooLarge(): readonly number[] {
    return [...this.#tooLarge];
  }

  /** Brings a space into memory; a `loaded` or `tooLarge` delta follows, unless it is there already. */
  load(spaceId: number, filterable: readonly string[] | null): void {
    if (this.#memories.has(spaceId) || this.#tooLarge.has(spaceId)) return;
    const { store } = this.#files;
    store.refresh();
    const isGone = store.garbage.get(spaceKey(spaceId)) !== undefined || !store.hasRecords(spaceId);
    // Whoever asks must hear of it: the namespace was dropped or emptied while the question was on its way.
    if (isGone) this.#announce({ kind: 'dropped', spaceId });
    else this.#startLoading(spaceId, filterable);
  }

  /** Rows freed by writes up to this number are seen by no reader, loader or snapshot. */
  reusableSeq(): number {
    const oldest = this.#epochs.oldestPinned();
    while (this.#retiredSeqs[0] !== undefined && this.#retiredSeqs[0].epoch <= oldest) {
      this.#reusableSeq = this.#retiredSeqs[0].seq;
      this.#retiredSeqs.shift();
    }
    return Math.min(this.#reusableSeq, this.changesNeededFrom() - 1);
  }

  /** First change log entry somebody still needs. */
  changesNeededFrom(): number {
    const starts = [...this.#loaders.values()].map((loader) => loader.seq + 1);
    return Math.min(Number.POSITIVE_INFINITY, ...starts);
  }

  /** Applies a committed transaction to memory. Its effects are visible to every reader when this returns. */
  publish({ effects, seq, freesRows }: Pick<WriteTransaction, 'effects' | 'seq' | 'freesRows'>): void {
    const touched = new Set<NamespaceMemory>();
    for (const effect of effects) {
      const memory = this.#memories.get(effect.spaceId);
      if (effect.kind === 'drop') this.#drop(effect.spaceId);
      else if (memory !== undefined && this.#apply(memory, effect)) touched.add(memory);
    }
    for (const memory of touched) {
      if (this.#memories.get(memory.spaceId) === memory) this.#publishMemory(memory, seq);
    }
    if (freesRows) this.#retireSeq(seq);
  }

  /** Resolves when nothing of it touches the index's files any more. */
  async close(): Promise<void> {
    this.#waiting.clear();
    for (const loader of this.#loaders.values()) loader.stop();
    while (this.#running > 0) await new Promise(setImmediate);
  }

  #startLoading(spaceId: number, filterable: readonly string[] | null): void {
    if (this.#loaders.has(spaceId)) return;
    if (this.#running >= LOADS_MAX) {
      this.#waiting.set(spaceId, filterable);
      return;
    }
    const loader = new NamespaceLoader({ spaceId, filterable }, this.#context, this.#files);
    this.#loaders.set(spaceId, loader);
    this.#running++;
    // Nothing but microtasks lies between the loader's last look at the log and `#finishLoading`, so no commit does.
    loader
      .run()
      .then(
        (memory) => this.#finishLoading(loader, memory),
        (error: unknown) => this.#failLoading(loader, error),
      )
      .finally(() => {
        this.#running--;
        this.#startNext();
      });
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next[0]);
    this.#startLoading(...next);
  }

  #finishLoading({ spaceId }: NamespaceLoader, memory: NamespaceMemory | null): void {
    if (memory === null) return;
    this.#loaders.delete(spaceId);
    const previous = this.#memories.get(spaceId);
    this.#memories.set(spaceId, memory);
    memory.takeGrowth();
    this.#announce({ kind: 'loaded', structure: memory.structure() });
    previous?.release();
  }

  #failLoading({ spaceId }: NamespaceLoader, error: unknown): void {
    this.#loaders.delete(spaceId);
    // No room for the new beside the old: the old goes, and the next query loads the namespace in its place.
    if (!this.#memories.has(spaceId)) this.#markTooLarge(spaceId);
    else if (error instanceof ArenaFull) this.#drop(spaceId);
    // A damaged file: searches straight from the records meet it too, and tell their callers. Other indexes go on.
    if (!(error instanceof ArenaFull)) process.emitWarning(error instanceof Error ? error : String(error));
  }

  #apply(memory: NamespaceMemory, effect: Exclude<Effect, { kind: 'drop' }>): boolean {
    if (effect.kind === 'remove') {
      memory.kill(effect.row);
      return true;
    }
    try {
      const values =
        effect.values === 'stored' ? (this.#files.rowFile?.readRow(effect.row) ?? null) : effect.values;
      memory.append({ ...effect, values });
      return true;
    } catch (error) {
      // The write is on disk and stands. Memory that cannot follow it goes; a query loads it again where it fits.
      this.#drop(memory.spaceId);
      if (error instanceof ArenaFull) this.#markTooLarge(memory.spaceId);
      return false;
    }
  }

  #publishMemory(memory: NamespaceMemory, seq: number): void {
    const growth = memory.takeGrowth();
    if (growth !== null) this.#announce({ kind: 'grown', spaceId: memory.spaceId, growth });
    memory.publish(seq);
    const dead = memory.deadCount;
    if (dead > DEAD_SLOTS_MIN && dead * 2 > memory.slotCount)
      this.#startLoading(memory.spaceId, memory.filterable);
  }

  #drop(spaceId: number): void {
    this.#loaders.get(spaceId)?.stop();
    this.#loaders.delete(spaceId);
    this.#waiting.delete(spaceId);
    this.#tooLarge.delete(spaceId);
    this.#announce({ kind: 'dropped', spaceId });
    const memory = this.#memories.get(spaceId);
    this.#memories.delete(spaceId);
    memory?.release();
  }

  #markTooLarge(spaceId: number): void {
    this.#tooLarge.add(spaceId);
    this.#announce({ kind: 'tooLarge', spaceId });
  }

  #retireSeq(seq: number): void {
    const epoch = this.#epochs.advance();
    if (this.#retiredSeqs.length === RETIRED_SEQS_MAX) this.#retiredSeqs.pop();
    this.#retiredSeqs.push({ seq, epoch });
  }
}
