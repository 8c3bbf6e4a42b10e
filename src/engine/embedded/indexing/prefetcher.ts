// Loads large namespaces before the first query, while nobody else needs the memory or the thread.
import { FRAME_BYTES } from '../memory/arena.ts';
import type { LoadRequest } from './namespace-loader.ts';
import { PrefetchQueue, type WrittenNamespace } from './prefetch-queue.ts';

/**
 * Up to this multiple of the size that wants a graph, a namespace that grows is loaded at once, which takes a few tenths
 * of a second: from then on its writes go to memory as they come, and no query waits for a load of all of it.
 */
const JUST_LARGE_FACTOR = 2;

export interface PrefetcherParts {
  /** Whether a namespace of so many records is large. */
  readonly wantsGraph: (records: number) => boolean;
  /** Whether a namespace is in memory, or is known not to fit. */
  readonly isKnown: (namespaceId: number) => boolean;
  /** Whether somebody else needs the memory or the thread. */
  readonly isBusy: () => boolean;
  /** Frames that so many records need, apart from their other bytes. */
  readonly framesFor: (records: number) => number;
  readonly framesFree: () => number;
  /** Begins to load a namespace. */
  readonly start: (request: LoadRequest) => void;
}

export class Prefetcher {
  readonly #parts: PrefetcherParts;
  readonly #queue = new PrefetchQueue();

  constructor(parts: PrefetcherParts) {
    this.#parts = parts;
  }

  /** Notes that records were added to a namespace: one that has just become large is prefetched, others when due. */
  noteWritten(written: WrittenNamespace): void {
    const { wantsGraph, isKnown } = this.#parts;
    const { namespaceId, records } = written;
    if (isKnown(namespaceId) || !wantsGraph(records)) return;
    const isJustLarge = !wantsGraph(records / JUST_LARGE_FACTOR);
    if (!isJustLarge || !this.#start(written)) this.#queue.note(written);
  }

  /** Notes namespaces that were in memory before a restart: they are prefetched, from now on, where memory is free. */
  noteSaved(saved: readonly WrittenNamespace[]): void {
    for (const namespace of saved)
      if (this.#parts.wantsGraph(namespace.records)) this.#queue.noteSaved(namespace);
    this.prefetchDue();
  }

  /** Prefetches the next namespace that is due, unless somebody else needs the memory or the thread. */
  prefetchDue(): void {
    if (this.#parts.isBusy()) return;
    const due = this.#queue.takeDue();
    if (due !== null && !this.#parts.isKnown(due.namespaceId)) this.#start(due);
  }

  /** Whether a namespace waits. */
  isWaiting(namespaceId: number): boolean {
    return this.#queue.has(namespaceId);
  }

  forget(namespaceId: number): void {
    this.#queue.forget(namespaceId);
  }

  forgetAll(): void {
    this.#queue.forgetAll();
  }

  /** @returns false when it has to wait or does not fit into what is free */
  #start(namespace: WrittenNamespace): boolean {
    const { isBusy, framesFor, framesFree, start } = this.#parts;
    const needed = framesFor(namespace.records) + Math.ceil(namespace.otherBytes / FRAME_BYTES);
    if (isBusy() || needed > framesFree()) return false;
    start({ ...namespace, isPrefetch: true });
    return true;
  }
}
