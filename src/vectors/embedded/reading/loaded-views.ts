// One reader's views of the namespaces of an index that are in shared memory, kept current by the writer's messages.
import { fault } from '../../../domain/faults.ts';
import type { Arena } from '../memory/arena.ts';
import { NamespaceView } from '../memory/namespace-view.ts';
import type { NamespaceStructure, StructureDelta } from '../memory/structure.ts';

export interface ViewSource {
  readonly arena: Arena;
  readonly dimension: number | null;
  readonly columnSeed: number;
  readonly structures: readonly NamespaceStructure[];
  readonly tooLarge: readonly number[];
  /** Version of the arena's structure that `structures` is. */
  readonly structureVersion: number;
  /** Asks the writer to load a namespace; a `loaded`, `tooLarge` or `dropped` delta follows. */
  readonly requestLoad: (spaceId: number, filterable: readonly string[] | null) => void;
  /** Handles, now, every message the writer has posted. */
  readonly takeMessages: () => void;
}

/** A namespace in memory, or word that it does not fit there. */
export type ViewOutcome = NamespaceView | 'tooLarge';

export class LoadedViews {
  readonly #source: ViewSource;
  readonly #views = new Map<number, NamespaceView>();
  readonly #tooLarge: Set<number>;
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #version: number;

  constructor(source: ViewSource) {
    this.#source = source;
    this.#tooLarge = new Set(source.tooLarge);
    this.#version = source.structureVersion;
    for (const structure of source.structures) this.#add(structure);
  }

  /** Null when the namespace is not in memory. */
  get(spaceId: number): ViewOutcome | null {
    return this.#tooLarge.has(spaceId) ? 'tooLarge' : (this.#views.get(spaceId) ?? null);
  }

  /** Asks for a namespace, and resolves when something about it has changed. */
  async load(spaceId: number, filterable: readonly string[] | null): Promise<void> {
    const known = this.#waiting.get(spaceId);
    if (known !== undefined) return known.promise;
    const waiting = Promise.withResolvers<void>();
    this.#waiting.set(spaceId, waiting);
    this.#source.requestLoad(spaceId, filterable);
    return waiting.promise;
  }

  /** False when the writer has announced structure that is not known here yet. */
  isCurrent(): boolean {
    return this.#version === this.#source.arena.structureVersion;
  }

  /** Takes every change of structure the writer has announced. */
  catchUp(): void {
    const announced = this.#source.arena.structureVersion;
    // A message is posted before it is counted, so it is there to be taken.
    while (this.#version < announced) this.#source.takeMessages();
  }

  apply(delta: StructureDelta): void {
    this.#version++;
    switch (delta.kind) {
      case 'loaded':
        this.#add(delta.structure);
        this.#wake(delta.structure.spaceId);
        break;
      case 'grown':
        this.#views.get(delta.spaceId)?.grow(delta.growth);
        break;
      case 'dropped':
        this.#views.delete(delta.spaceId);
        this.#tooLarge.delete(delta.spaceId);
        this.#wake(delta.spaceId);
        break;
      case 'tooLarge':
        this.#views.delete(delta.spaceId);
        this.#tooLarge.add(delta.spaceId);
        this.#wake(delta.spaceId);
        break;
    }
  }

  /** The index is gone: whoever waits is told so. */
  close(name: string): void {
    for (const waiting of this.#waiting.values()) waiting.reject(fault('index-not-found', { name }));
    this.#waiting.clear();
  }

  #add(structure: NamespaceStructure): void {
    const { arena, dimension, columnSeed } = this.#source;
    this.#views.set(structure.spaceId, new NamespaceView(arena, structure, { dimension, columnSeed }));
  }

  #wake(spaceId: number): void {
    this.#waiting.get(spaceId)?.resolve();
    this.#waiting.delete(spaceId);
  }
}
