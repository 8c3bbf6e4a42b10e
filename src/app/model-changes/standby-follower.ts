// Keeps the vectors that do not answer up to date: whatever changes in an index is changed among them a moment later.
import { setTimeout as sleep } from 'node:timers/promises';
import { standbyIndex } from '../../domain/embedding/model-change.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { KeyedQueue } from '../../platform/keyed-queue.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import { StandbyCopier } from './standby-copier.ts';

const PAUSE_MS = 1_000;
const CHANGES_PER_STEP = 500;

export interface StandbyFollowerParts {
  readonly indexes: { byId(id: string): Index | undefined };
  readonly engine: Pick<VectorStore, 'changed' | 'copies' | 'reader' | 'writer'>;
  readonly inference: Inference;
  /** The ids of the indexes with two sets of vectors. */
  readonly changing: () => readonly string[];
  readonly pauseMs?: number;
}

export class StandbyFollower {
  readonly #parts: StandbyFollowerParts;
  /** One step of an index at a time. */
  readonly #steps = new KeyedQueue();
  readonly #problems = new Map<string, string>();
  readonly #stop = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(parts: StandbyFollowerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await this.#steps.idle();
  }

  /** Why the other vectors of an index cannot follow; null while they can. */
  problemOf(indexId: string): string | null {
    return this.#problems.get(indexId) ?? null;
  }

  /** The number of changes that the other vectors lack. */
  async pendingOf(index: Index): Promise<number> {
    return (await this.#parts.engine.changed(profileOf(index)).list(1)).total;
  }

  /**
   * Takes over what has changed, all of it while no write is under way.
   * @param deadline ends it early, also while a step that began before runs
   * @returns false when that cannot be done, or not in time: `problemOf` tells why it cannot
   */
  async catchUp(indexId: string, deadline?: AbortSignal): Promise<boolean> {
    const stop = this.#stop.signal;
    const signal = deadline === undefined ? stop : AbortSignal.any([stop, deadline]);
    const step = () =>
      untilAborted(
        this.#steps.run(indexId, () => this.#step(indexId, signal)),
        signal,
      );
    try {
      while (await step()) signal.throwIfAborted();
      this.#problems.delete(indexId);
      return true;
    } catch (error) {
      if (deadline?.aborted === true) return false;
      this.#problems.set(indexId, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** Runs work while no step of the index runs. */
  between<Result>(indexId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#steps.run(indexId, work);
  }

  forget(indexId: string): void {
    this.#problems.delete(indexId);
  }

  /** True when more may be left than what changes all the time. */
  async #step(indexId: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const { engine, inference, indexes } = this.#parts;
    const active = indexes.byId(indexId);
    const standby = active === undefined ? null : standbyIndex(active);
    const state = active?.modelChange?.state;
    if (
      active === undefined ||
      active.state === 'Terminating' ||
      standby === null ||
      (state !== 'Ready' && state !== 'Switched')
    )
      return false;
    // Tells also while nothing changes that it could not follow, as before the other vectors may answer.
    const copier = new StandbyCopier({ active, standby, engine, inference, signal });
    const tracked = engine.changed(profileOf(active));
    const { changed } = await tracked.list(CHANGES_PER_STEP);
    if (changed.length === 0) return false;
    await copier.follow(changed);
    await tracked.settle(changed);
    return changed.length === CHANGES_PER_STEP;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      for (const id of this.#parts.changing()) if (!signal.aborted) await this.catchUp(id);
      await sleep(this.#parts.pauseMs ?? PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
