// One reader's views of the namespaces of an index in shared memory, kept current by the writer's messages.
import { fault } from '../../../domain/faults.ts';
import { Arena } from '../memory/arena.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import type { NamespaceStructure, StructureDelta } from '../segments/structure.ts';
import { type Workspace, workspaceIn } from './workspace.ts';

export interface ViewSource {
  /** The index's arenas by number. */
  readonly memories: readonly WebAssembly.Memory[];
  readonly dimension: number | null;
  readonly columnSeed: number;
  readonly namespaces: readonly LoadedNamespace[];
  readonly tooLarge: readonly number[];
  /** Version of the arena's structure that `namespaces` represents. */
  readonly structureVersion: number;
  /** Asks the writer to load a namespace; a `loaded`, `tooLarge` or `dropped` delta follows. */
  readonly requestLoad: (
    namespaceId: number,
    filterable: readonly string[] | null,
    recordCount: number,
  ) => void;
  /** Handles every message that the writer has posted, synchronously. */
  readonly takeMessages: () => void;
}

export interface NamespaceToLoad {
  readonly namespaceId: number;
  readonly filterable: readonly string[] | null;
  readonly recordCount: number;
}

/** A namespace in memory, by its segments. */
export interface LoadedNamespace {
  readonly namespaceId: number;
  readonly segments: readonly NamespaceStructure[];
}

/** A segment of a namespace, and this reader's workspace in its arena. */
export interface Segment {
  readonly view: SegmentReader;
  readonly workspace: Workspace;
}

/** A namespace in memory, or `tooLarge` for one that does not fit. */
export type ViewOutcome = readonly Segment[] | 'tooLarge';

export class LoadedViews {
  /** Not the whole source: arenas that the writer has left must not be retained. */
  readonly #source: Pick<ViewSource, 'dimension' | 'columnSeed' | 'requestLoad' | 'takeMessages'>;
  readonly #workspaces: Workspace[] = [];
  readonly #views = new Map<number, Segment[]>();
  readonly #tooLarge: Set<number>;
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #version: number;

  constructor(source: ViewSource) {
    const { dimension, columnSeed, requestLoad, takeMessages } = source;
    this.#source = { dimension, columnSeed, requestLoad, takeMessages };
    this.#tooLarge = new Set(source.tooLarge);
    this.#version = source.structureVersion;
    for (const memory of source.memories) this.#workspaces.push(workspaceIn(new Arena(memory)));
    for (const namespace of source.namespaces) this.#add(namespace);
  }

  /** Null when the namespace is not in memory. */
  get(namespaceId: number): ViewOutcome | null {
    return this.#tooLarge.has(namespaceId) ? 'tooLarge' : (this.#views.get(namespaceId) ?? null);
  }

  /** Requests a namespace; resolves when something about it has changed. */
  async load(space: NamespaceToLoad): Promise<void> {
    const { namespaceId } = space;
    const known = this.#waiting.get(namespaceId);
    if (known !== undefined) return known.promise;
    const waiting = Promise.withResolvers<void>();
    this.#waiting.set(namespaceId, waiting);
    this.#source.requestLoad(namespaceId, space.filterable, space.recordCount);
    return waiting.promise;
  }

  /** False when the writer has announced structure that has not arrived here. */
  isCurrent(): boolean {
    return this.#version === this.#announced();
  }

  /** Applies every change of structure that the writer has announced. */
  catchUp(): void {
    const announced = this.#announced();
    // A message is posted before it is counted, so it has arrived.
    while (this.#version < announced) this.#source.takeMessages();
  }

  apply(delta: StructureDelta): void {
    this.#version++;
    switch (delta.kind) {
      case 'arena':
        this.#workspaces[delta.number] = workspaceIn(new Arena(delta.memory));
        break;
      case 'emptied':
        this.#views.clear();
        this.#tooLarge.clear();
        this.#workspaces.splice(0, Number.POSITIVE_INFINITY, workspaceIn(new Arena(delta.memory)));
        for (const namespaceId of [...this.#waiting.keys()]) this.#wake(namespaceId);
        break;
      case 'loaded':
        this.#add(delta);
        this.#wake(delta.namespaceId);
        break;
      case 'segment':
        this.#views.get(delta.namespaceId)?.push(this.#segment(delta.structure));
        break;
      case 'grown':
        this.#views.get(delta.namespaceId)?.[delta.segment]?.view.grow(delta.growth);
        break;
      case 'dropped':
        this.#views.delete(delta.namespaceId);
        this.#tooLarge.delete(delta.namespaceId);
        this.#wake(delta.namespaceId);
        break;
      case 'tooLarge':
        this.#views.delete(delta.namespaceId);
        this.#tooLarge.add(delta.namespaceId);
        this.#wake(delta.namespaceId);
        break;
    }
  }

  /** Rejects all waiting requests, because the index is gone. */
  close(name: string): void {
    for (const waiting of this.#waiting.values()) waiting.reject(fault('index-not-found', { name }));
    this.#waiting.clear();
  }

  /** The first arena counts for all. */
  #announced(): number {
    return this.#workspaces[0]?.arena.structureVersion ?? 0;
  }

  #add({ namespaceId, segments }: LoadedNamespace): void {
    this.#views.set(
      namespaceId,
      segments.map((structure) => this.#segment(structure)),
    );
  }

  #segment(structure: NamespaceStructure): Segment {
    const workspace = this.#workspaces[structure.arena];
    if (workspace === undefined) throw new Error(`there is no arena ${structure.arena}`);
    const { dimension, columnSeed } = this.#source;
    return { view: new SegmentReader(workspace.arena, structure, { dimension, columnSeed }), workspace };
  }

  #wake(namespaceId: number): void {
    this.#waiting.get(namespaceId)?.resolve();
    this.#waiting.delete(namespaceId);
  }
}
