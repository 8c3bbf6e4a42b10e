// The fence around this node's engine: it serves what the catalog says that this node has, while its lease holds. What it
// wrote is acknowledged only if both are still so.
import { Fault, fault } from '../../domain/faults.ts';
import { type Index, type IndexProfile, type IndexSize, indexIdOf } from '../../domain/index-model.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';

const RETRY_SECONDS = 1;

export type SizeAt = (nodeId: string, indexId: string) => Promise<IndexSize>;

export interface FenceParts {
  readonly nodeId: string;
  readonly isHeld: () => boolean;
  /** Undefined for what is no index, as the records of an assistant. */
  readonly indexById: (id: string) => Pick<Index, 'placement'> | undefined;
}

export class Fence {
  readonly #parts: FenceParts;
  /** The last epochs of indexes that this node has given away, whatever it remembers of them. */
  readonly #givenUp = new Map<string, number>();

  constructor(parts: FenceParts) {
    this.#parts = parts;
  }

  /** @throws index-elsewhere when this node may serve nothing at present, or another one has the index */
  requireHere(profile: Pick<IndexProfile, 'id' | 'indexId'>): void {
    this.requireHeld();
    const { nodeId, indexById } = this.#parts;
    const indexId = indexIdOf(profile);
    const placement = indexById(indexId)?.placement;
    if (placement === undefined) return;
    const isGivenUp = placement.epoch <= (this.#givenUp.get(indexId) ?? 0);
    if (isGivenUp || placement.nodeId !== nodeId) throw elsewhere();
  }

  /** From now on, this node serves the index no more with this epoch or one before it. */
  giveUp(indexId: string, epoch: number): void {
    this.#givenUp.set(indexId, epoch);
  }

  /** Takes back that this node has given up an index with an epoch. */
  keep(indexId: string, epoch: number): void {
    this.#givenUp.set(indexId, epoch - 1);
  }

  /** @throws index-elsewhere when this node may serve nothing at present */
  requireHeld(): void {
    if (!this.#parts.isHeld()) throw elsewhere();
  }

  /**
   * The engine, whose calls on indexes that are not here fail.
   * @param sizeAt asks another node for the size of an index
   */
  around(engine: VectorStore, sizeAt: SizeAt = () => Promise.reject(elsewhere())): VectorStore {
    const fenced = <Part extends object>(profile: IndexProfile, part: Part): Part => {
      const require = () => this.requireHere(profile);
      return fencedCalls(part, require);
    };
    return {
      capabilities: engine.capabilities,
      createIndex: (profile) => this.#run(profile, () => engine.createIndex(profile)),
      dropIndex: (id) => engine.dropIndex(id),
      sizeOf: (profile) => this.#sizeOf(profile, engine, sizeAt),
      metrics: (profiles) => engine.metrics(profiles),
      check: (profile, options) => this.#run(profile, () => engine.check(profile, options)),
      reshape: (profile) => this.#reshape(profile, engine),
      earlierWrites: (profile) => this.#run(profile, () => engine.earlierWrites(profile)),
      reader: (profile, clock) => fenced(profile, engine.reader(profile, clock)),
      writer: (profile, clock) => fenced(profile, engine.writer(profile, clock)),
      copies: (profile) => fenced(profile, engine.copies(profile)),
      staging: (profile) => fenced(profile, engine.staging(profile)),
      changed: (profile) => fenced(profile, engine.changed(profile)),
      history: (profile) => fenced(profile, engine.history(profile)),
      branches: (profile) => fenced(profile, engine.branches(profile)),
      // Nodes share a catalog, whose database recovers it to a moment; their records alone would not fit to it.
      logs: null,
      close: (options) => engine.close(options),
    };
  }

  async #sizeOf(profile: IndexProfile, engine: VectorStore, sizeAt: SizeAt): Promise<IndexSize> {
    const indexId = indexIdOf(profile);
    const nodeId = this.#parts.indexById(indexId)?.placement?.nodeId ?? this.#parts.nodeId;
    return nodeId === this.#parts.nodeId ? engine.sizeOf(profile) : sizeAt(nodeId, indexId);
  }

  /** Another node has the index take its memory profile when it next opens it. */
  async #reshape(profile: IndexProfile, engine: VectorStore): Promise<void> {
    const { nodeId, indexById } = this.#parts;
    const placement = indexById(indexIdOf(profile))?.placement;
    if (placement === undefined || placement.nodeId === nodeId)
      await this.#run(profile, () => engine.reshape(profile));
  }

  async #run<Result>(profile: IndexProfile, work: () => Promise<Result>): Promise<Result> {
    this.requireHere(profile);
    const result = await work();
    this.requireHere(profile);
    return result;
  }
}

/** The same object, whose methods check before they begin and after they have ended. */
function fencedCalls<Part extends object>(part: Part, require: () => void): Part {
  return new Proxy(part, {
    get: (of, name) => {
      const member: unknown = Reflect.get(of, name);
      if (typeof member !== 'function') return member;
      return (...words: readonly unknown[]): unknown => {
        // As the calls themselves fail: by a promise.
        return Promise.try(() => {
          require();
          const result: unknown = Reflect.apply(member, of, words);
          return result;
        }).then((value) => checked(value, require));
      };
    },
  });
}

function checked<Value>(value: Value, require: () => void): Value {
  require();
  return value;
}

function elsewhere(): Fault {
  const { condition, message } = fault('index-elsewhere');
  return new Fault(condition, message, { retryAfterSeconds: RETRY_SECONDS });
}
