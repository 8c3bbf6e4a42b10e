// Ships what is written to the blob store, every few seconds: the changes of all indexes and of the catalog.
//
// A look reads what was written since the last one into objects, which the timeline writer appends. It reads the catalog
// first: what a job notes there that it has done to records, the log then has as well.
// Failures delay shipping and nothing else. What was read is kept until it is stored; everything else is read later,
// from the histories of the indexes. Where a history no longer reaches back, a copy of the index goes on.
import type { Catalog } from '../../catalog/port.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { LogGap, LogPart, WriteLogs } from '../../engine/port/write-log.ts';
import { BaseCopies } from './base-copies.ts';
import { IndexVersions, type PastIndex } from './index-versions.ts';
import { LogChecks } from './log-checks.ts';
import { LogDamaged, logKey } from './log-format.ts';
import { LogKeeping } from './log-keeping.ts';
import { LogObject, type WholeObject } from './log-object.ts';
import { recoverableSpans, type Span } from './recoverable-spans.ts';
import { ShippedCatalog } from './shipped-catalog.ts';
import { isIncomplete, noteLost, type ShippingState } from './shipping-state.ts';
import { TimelineWriter, type TimelineWriterParts } from './timeline-writer.ts';

const MEBIBYTE = 2 ** 20;
/** Changes read at a time, before they are compressed. */
const READ_BYTES = 8 * MEBIBYTE;
/** An object is stored once it has so much. */
const OBJECT_BYTES = 16 * MEBIBYTE;
/** How often a server says that nothing was written. */
const BEAT_MS = 60_000;

export interface LogShipperParts
  extends Pick<TimelineWriterParts, 'blobs' | 'dataDir' | 'release' | 'onNewTimeline'> {
  readonly catalog: Pick<Catalog, 'settings' | 'pages' | 'indexes' | 'assistants' | 'administration'>;
  readonly engine: Pick<VectorStore, 'copies'> & { readonly logs: WriteLogs };
  /** Between two looks. */
  readonly intervalMs: number;
  /** How long moments can be returned to. */
  readonly keptMs: number;
  /** The earliest moment that is being recovered, in milliseconds since 1970; null for none. */
  readonly neededMoment?: () => Promise<number | null>;
  readonly onFailure: (error: unknown, what: string) => void;
  /** Milliseconds since 1970; default Date.now(). */
  readonly now?: () => number;
  /** Milliseconds of a clock that nobody sets; default `performance.now()`. */
  readonly elapsed?: () => number;
}

export interface ShippingFigures {
  /** How long ago everything was shipped that had been written; before the first time, since the start. */
  readonly lagSeconds: number;
  /** Between two looks: as much lag is nothing unusual. */
  readonly intervalSeconds: number;
  readonly bytes: number;
  readonly objects: number;
  readonly failures: number;
  /** Indexes whose present state cannot be recovered, because a copy of them is still to be made. */
  readonly incomplete: number;
}

export class LogShipper {
  readonly #parts: LogShipperParts;
  readonly #writer: TimelineWriter;
  #state: ShippingState | null = null;
  #object = new LogObject();
  /** Stored nowhere yet. */
  #unsent: WholeObject | null = null;
  /** Up to where writes are in objects that may not be stored yet. */
  readonly #read = new Map<string, number>();
  /** The versions of storage that was read to the end. */
  readonly #seen = new Map<string, string>();
  readonly #catalog: ShippedCatalog;
  readonly #copies: BaseCopies;
  readonly #keeping: LogKeeping;
  readonly #checks: LogChecks;
  readonly #versions: IndexVersions;
  #areIndexesNoted = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #isClosing = false;
  /** When the last look that shipped everything began, in milliseconds since 1970. */
  #completeAt: number | null = null;
  /** The same by the clock that nobody sets; before the first time, when the timeline began. */
  #shippedAt: number;
  #figures = { bytes: 0, objects: 0, failures: 0 };

  constructor(parts: LogShipperParts) {
    this.#parts = parts;
    const clocks = { now: () => this.#now(), elapsed: () => this.#elapsed() };
    const { signal } = this.#stopping;
    this.#shippedAt = this.#elapsed();
    this.#versions = new IndexVersions(parts.dataDir);
    this.#catalog = new ShippedCatalog(parts.catalog.pages, clocks.now);
    this.#writer = new TimelineWriter({ ...parts, ...clocks, signal, settings: parts.catalog.settings });
    this.#copies = new BaseCopies({
      ...{ ...parts, ...clocks, signal },
      state: () => this.#state,
      onOpened: (id, lsn) => {
        this.#read.set(id, lsn);
        this.#seen.delete(id);
      },
      onUncopied: (id) => this.#noteUncopied(id),
      onMade: (state) => this.#writer.save(state),
      onFailure: (error) => this.#fail(error, 'a copy for the recovery log failed and will be retried'),
    });
    this.#checks = new LogChecks({ ...parts, ...clocks });
    this.#keeping = new LogKeeping({
      ...{ ...parts, ...clocks, signal },
      installation: () => this.#writer.installation(),
      isCopying: (id) => this.#copies.isCopying(id),
    });
  }

  start(): void {
    this.#schedule(0);
  }

  figures(): ShippingFigures {
    const storages = Object.values(this.#state?.storages ?? {});
    return {
      ...this.#figures,
      lagSeconds: (this.#elapsed() - this.#shippedAt) / 1_000,
      intervalSeconds: this.#parts.intervalMs / 1_000,
      incomplete: storages.filter(isIncomplete).length,
    };
  }

  position(): { readonly timeline: string; readonly last: number } | null {
    const state = this.#state;
    return state === null || state.completeAt === 0 ? null : { timeline: state.timeline, last: state.number };
  }

  /** Indexes of the present and the past, by their ids. */
  indexes(): Readonly<Record<string, PastIndex>> {
    return this.#versions.indexes;
  }

  /** The moments to which an index can be recovered: also those at which nothing was written, and nothing stored. */
  spans(index: PastIndex): readonly Span[] {
    const state = this.#state;
    if (state === null) return [];
    const reached = { ...state, completeAt: this.#completeAt ?? state.completeAt };
    return recoverableSpans(index, reached, this.#now() - this.#parts.keptMs);
  }

  /** Keeps what a moment needs until the returned function is called: a recovery to it is about to be stored. */
  hold(moment: number): () => void {
    return this.#keeping.hold(moment);
  }

  /** Looks once, at once. @throws what fails */
  async ship(): Promise<void> {
    const turn = this.#running.then(() => this.#look());
    this.#running = turn.catch(() => undefined);
    await turn;
  }

  /** Waits for copies that are being made. */
  async settled(): Promise<void> {
    await this.#copies.settled();
  }

  /** Ships what is left, as far as it gets until the deadline; the next start ships the rest. */
  async close(deadline: AbortSignal): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isClosing = true;
    const isStopped = this.#stopping.signal.aborted;
    const stop = () => this.#stopping.abort(new Error('the server stops'));
    if (deadline.aborted) stop();
    deadline.addEventListener('abort', stop);
    try {
      if (!isStopped) await this.ship();
    } catch (error) {
      this.#fail(error, 'the last writes could not be shipped; the next start ships them');
    } finally {
      deadline.removeEventListener('abort', stop);
      stop();
      await this.#running;
      await this.#copies.settled();
    }
  }

  #schedule(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(async () => {
      const startedAt = this.#elapsed();
      try {
        await this.ship();
      } catch (error) {
        this.#fail(error, 'shipping to the recovery log failed and will be retried');
      }
      if (this.#timer !== null)
        this.#schedule(Math.max(0, this.#parts.intervalMs - (this.#elapsed() - startedAt)));
    }, ms).unref();
  }

  async #look(): Promise<void> {
    const state = await this.#current();
    const [at, startedAt] = [this.#now(), this.#elapsed()];
    const { logs } = this.#parts.engine;
    const catalog = await this.#catalog.addTo(this.#object);
    if (catalog !== 'nothing') this.#areIndexesNoted = false;
    if (catalog === 'whole') await this.#notePositions(state);
    const storages = await logs.storages();
    for (const { id, version } of storages) {
      await this.#noteReturned(state, id);
      if (this.#seen.get(id) === version || this.#copies.isAwaited(id)) continue;
      if (await this.#collect(id, at)) this.#seen.set(id, version);
    }
    this.#noteDropped(state, new Set(storages.map(({ id }) => id)));
    const indexes = this.#areIndexesNoted ? null : await this.#parts.catalog.indexes.list();
    const noted = { at: this.#now(), before: this.#completeAt ?? state.completeAt };
    if (!this.#object.isEmpty || at - state.completeAt >= BEAT_MS) await this.#flush(at, true);
    this.#completeAt = at;
    this.#shippedAt = startedAt;
    if (indexes !== null) {
      this.#versions.note(state.timeline, indexes, noted);
      this.#areIndexesNoted = true;
    }
    if (this.#isClosing) return;
    await this.#check(state);
    this.#copies.begin();
    await this.#removeOld(state);
  }

  /**
   * The state of the timeline, with all that was read so far. In a timeline each look is later than the one before, so
   * another one begins where the clock was set back: a moment would lead to two looks.
   */
  async #current(): Promise<ShippingState> {
    const state = await this.#ready();
    if (this.#unsent !== null) await this.#send(this.#unsent);
    if (this.#now() >= state.completeAt) return state;
    await this.#writer.restart('the clock was set back');
    this.#shippedAt = this.#elapsed();
    this.#completeAt = null;
    return this.#ready();
  }

  /** The state of the timeline; where another one has begun, everything is read anew. */
  async #ready(): Promise<ShippingState> {
    const state = await this.#writer.state();
    if (state === this.#state) return state;
    this.#state = state;
    this.#object = new LogObject();
    this.#unsent = null;
    this.#catalog.forget();
    this.#seen.clear();
    this.#copies.forget();
    this.#read.clear();
    for (const [id, { lsn, isBroken, droppedAt }] of Object.entries(state.storages)) {
      this.#read.set(id, lsn);
      if (isBroken && droppedAt === null) this.#noteUncopied(id);
    }
    return state;
  }

  /** Reads what was written to one storage. @returns whether it was read to the end */
  async #collect(storage: string, at: number): Promise<boolean> {
    for (;;) {
      const from = this.#read.get(storage) ?? 0;
      const part = await this.#readPart(storage, from);
      if (part === null) return false;
      if ('gap' in part) {
        this.#object.note({ kind: 'gap', storage, reason: part.gap });
        this.#copies.forget(storage);
        return false;
      }
      const { bytes, changes, toLsn: to, hasMore } = part;
      const isNew = !this.#read.has(storage) || this.#state?.storages[storage] === undefined;
      if (changes > 0 || to > from || isNew)
        await this.#object.add({ kind: 'writes', storage, from, to, changes }, bytes);
      this.#read.set(storage, to);
      if (this.#object.bytes >= OBJECT_BYTES) await this.#flush(at, false);
      if (!hasMore) return true;
    }
  }

  /** An index that cannot be read must not keep others from being shipped. */
  async #readPart(storageId: string, after: number): Promise<LogPart | LogGap | null> {
    try {
      return await this.#parts.engine.logs.read({ storageId, after, bytesMax: READ_BYTES });
    } catch (error) {
      this.#fail(error, 'the writes of an index could not be read for the recovery log');
      return { gap: 'its files could not be read' };
    }
  }

  /** A copy that failed may be there all the same, but the writes after it are not. */
  #noteUncopied(storage: string): void {
    this.#object.note({ kind: 'gap', storage, reason: 'a copy of it did not become whole' });
  }

  /** Storage that the log says is dropped is there, perhaps since a folder was away: nobody may write to it for long. */
  async #noteReturned(state: ShippingState, storage: string): Promise<void> {
    const known = state.storages[storage];
    if (known === undefined || known.droppedAt === null) return;
    if (known.isBroken) this.#noteUncopied(storage);
    else await this.#notePosition(storage, known.lsn);
  }

  /** Nothing before is needed for the catalog, nor, with these, to know that nothing is missing of idle indexes. */
  async #notePositions({ storages }: ShippingState): Promise<void> {
    for (const [id, { droppedAt, isBroken, lsn }] of Object.entries(storages))
      if (droppedAt === null && !isBroken) await this.#notePosition(id, lsn);
  }

  async #notePosition(storage: string, shipped: number): Promise<void> {
    const at = this.#read.get(storage) ?? shipped;
    await this.#object.add({ kind: 'writes', storage, from: at, to: at, changes: 0 }, new Uint8Array());
  }

  #noteDropped(state: ShippingState, there: ReadonlySet<string>): void {
    for (const [id, { droppedAt }] of Object.entries(state.storages)) {
      if (there.has(id) || droppedAt !== null) continue;
      this.#object.note({ kind: 'dropped', storage: id });
      this.#seen.delete(id);
    }
  }

  /** Stores what was collected. */
  async #flush(at: number, isComplete: boolean): Promise<void> {
    const { number, first } = await this.#ready();
    this.#unsent = this.#object.finish({ number: number + 1, first, at, isComplete });
    this.#object = new LogObject();
    await this.#send(this.#unsent);
  }

  async #send(object: WholeObject): Promise<void> {
    await this.#writer.append(object);
    this.#unsent = null;
    const { bytes, objects, failures } = this.#figures;
    this.#figures = { bytes: bytes + object.bytes.length, objects: objects + 1, failures };
  }

  /** What the storage has lost keeps nothing from being shipped. */
  async #check(state: ShippingState): Promise<void> {
    try {
      for (const lost of await this.#checks.newlyLost(state)) {
        noteLost(state, lost);
        this.#catalog.forget();
        this.#writer.save(state);
        const error = new LogDamaged(logKey(state.timeline, lost.first), 'is missing');
        this.#fail(
          error,
          'the storage has lost a part of the recovery log; copies of the indexes go on behind it',
        );
      }
    } catch (error) {
      this.#fail(error, 'the recovery log could not be checked');
    }
  }

  async #removeOld(state: ShippingState): Promise<void> {
    const before = await this.#keeping.removeOld(state);
    if (before === null) return;
    this.#versions.forget(before);
    this.#writer.save(state);
  }

  #fail(error: unknown, what: string): void {
    this.#figures = { ...this.#figures, failures: this.#figures.failures + 1 };
    this.#parts.onFailure(error, what);
  }

  #elapsed(): number {
    return this.#parts.elapsed?.() ?? performance.now();
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now();
  }
}
