// Makes the copies of indexes that the recovery log needs: where it has a gap, and where it has become long. One at a time,
// while the log goes on.
import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import { newOrderedId } from '../../domain/ids.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { makeBase } from './base-maker.ts';
import { storagesOfCatalog } from './recovered-storages.ts';
import { isIncomplete, noteBase, type ShippedStorage, type ShippingState } from './shipping-state.ts';

const DAY_MS = 86_400_000;
/** A log is worth a new copy of its index when it is longer than the copy, and than this. */
const RENEWED_BYTES_MIN = 512 * 2 ** 20;
/** How long after a failure a copy is tried again. */
const RETRY_MS = 30_000;

export interface BaseCopiesParts {
  readonly catalog: Pick<Catalog, 'indexes' | 'assistants' | 'administration'>;
  readonly engine: Pick<VectorStore, 'copies'>;
  readonly blobs: Blobs;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  /** Null before the first look. */
  readonly state: () => ShippingState | null;
  /** Called when a copy of storage with a gap begins, which has all writes up to this one. */
  readonly onOpened: (storageId: string, lsn: number) => void;
  /** Called when a copy of storage with a gap has failed. */
  readonly onUncopied: (storageId: string) => void;
  readonly onMade: (state: ShippingState) => void;
  readonly onFailure: (error: unknown) => void;
}

export class BaseCopies {
  readonly #parts: BaseCopiesParts;
  readonly #startedAt: number;
  #work: Promise<void> | null = null;
  /** The id of the copy that is being made. */
  #copying: string | null = null;
  readonly #failedAt = new Map<string, number>();
  /** Storage with a gap whose copy was opened: reading goes on there. */
  readonly #opened = new Set<string>();

  constructor(parts: BaseCopiesParts) {
    this.#parts = parts;
    this.#startedAt = parts.elapsed();
  }

  isCopying(id: string): boolean {
    return id === this.#copying;
  }

  /** True while a copy must be opened before reading goes on. */
  isAwaited(storageId: string): boolean {
    return this.#parts.state()?.storages[storageId]?.isBroken === true && !this.#opened.has(storageId);
  }

  /** A gap came in the meantime, or, without a name, another timeline has begun: what is being made does not help. */
  forget(storageId?: string): void {
    if (storageId === undefined) this.#opened.clear();
    else this.#opened.delete(storageId);
  }

  /** Waits for the copy that is being made. */
  async settled(): Promise<void> {
    await this.#work;
  }

  /** Begins the next copy that is due, unless one is being made. */
  begin(): void {
    const { state: current, signal, onUncopied, onFailure } = this.#parts;
    const state = current();
    if (state === null || this.#work !== null || signal.aborted) return;
    const due = Object.entries(state.storages).find(([id, storage]) => this.#isDue(id, storage));
    if (due === undefined) return;
    const [id, storage] = due;
    this.#work = this.#make(state, id, storage)
      .then(() => void this.#failedAt.delete(id))
      .catch((error: unknown) => {
        this.#failedAt.set(id, this.#parts.elapsed());
        this.#opened.delete(id);
        if (current() === state && storage.isBroken) onUncopied(id);
        if (!signal.aborted) onFailure(error);
      })
      .finally(() => {
        this.#work = null;
        this.#copying = null;
      });
  }

  #isDue(id: string, storage: ShippedStorage): boolean {
    const { droppedAt, bytes, bases } = storage;
    const { now, elapsed } = this.#parts;
    const failedAt = this.#failedAt.get(id);
    const isPaused = failedAt !== undefined && elapsed() - failedAt < RETRY_MS;
    if (droppedAt !== null || isPaused) return false;
    const last = bases.at(-1);
    if (isIncomplete(storage) || last === undefined) return true;
    const isLong = bytes > Math.max(last.bytes, RENEWED_BYTES_MIN);
    // The first log of an index has no time of its own.
    const age = last.at === 0 ? elapsed() - this.#startedAt : now() - last.at;
    return isLong || (bytes > 0 && age > DAY_MS);
  }

  async #make(state: ShippingState, id: string, storage: ShippedStorage): Promise<void> {
    const { blobs, engine, catalog, signal, now, onOpened, onMade } = this.#parts;
    const known = (await storagesOfCatalog(catalog)).get(id);
    // It is being created or removed.
    if (known === undefined) throw new Error(`the catalog does not have the storage ${id} at present`);
    const copy = newOrderedId(now());
    this.#copying = copy;
    const request = { timeline: state.timeline, profile: known.profile, number: state.number + 1, signal };
    const { manifest, bytes } = await makeBase(
      { blobs, engine, now },
      {
        ...{ ...request, id: copy },
        onOpened: (lsn) => {
          if (!storage.isBroken) return;
          // A restart goes on there, too, where nothing is written until then.
          storage.lsn = lsn;
          this.#opened.add(id);
          onOpened(id, lsn);
        },
      },
    );
    if (this.#parts.state() !== state) return;
    const { id: baseId, lsn, at, number } = manifest;
    const next = storage.lsn > lsn ? number : null;
    // A gap that came meanwhile needs another one.
    const isBehind = this.#opened.delete(id) || !storage.isBroken;
    noteBase(storage, { id: baseId, lsn, at, number, bytes, next }, isBehind);
    onMade(state);
  }
}
