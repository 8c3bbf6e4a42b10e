// Takes what changes in an index over to its copy on another node.
import { type Index, type IndexProfile, storedProfileOf } from '../../domain/index-model.ts';
import type { ChangedRecord } from '../../engine/port/changed-records.ts';
import { packRecords } from '../../engine/port/packed-records.ts';
import { frameContent } from '../../engine/port/portable-records.ts';
import type { NamespaceSummary } from '../../engine/port/reader-and-writer.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import type { RemoteCopies, RemoteCopy } from './remote-copies.ts';

/** Bytes of values in a batch that is sent at a time. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_RECORDS_MAX = 500;
const FLOAT_BYTES = 4;

export interface MoveFollowerParts {
  readonly engine: Pick<VectorStore, 'reader' | 'changed' | 'copies'>;
  readonly remote: RemoteCopies;
  readonly index: Index;
  readonly copy: RemoteCopy;
  readonly signal: AbortSignal;
}

export class MoveFollower {
  readonly #parts: MoveFollowerParts;
  readonly #profile: IndexProfile;
  readonly #batchRecords: number;

  constructor(parts: MoveFollowerParts) {
    this.#parts = parts;
    this.#profile = storedProfileOf(parts.index);
    const rowBytes = FLOAT_BYTES * Math.max(1, parts.index.dimension ?? 1);
    this.#batchRecords = Math.min(BATCH_RECORDS_MAX, Math.max(1, Math.floor(BATCH_BYTES / rowBytes)));
  }

  /** Takes over some of what has changed. @returns how many changes are left, about */
  async step(): Promise<number> {
    const { engine, signal } = this.#parts;
    const tracked = engine.changed(this.#profile);
    const { changed, total } = await tracked.list(this.#batchRecords);
    if (changed.length === 0) return 0;
    for (const [namespace, changes] of Map.groupBy(changed, (each: ChangedRecord) => each.namespace)) {
      signal.throwIfAborted();
      const ids = changes.flatMap(({ id }) => id ?? []);
      if (ids.length < changes.length) await this.#sendNamespace(namespace);
      else await this.#sendRecords(namespace, ids);
    }
    await tracked.settle(changed);
    return total - changed.length;
  }

  async #sendRecords(namespace: string, ids: readonly string[]): Promise<void> {
    const { engine, remote, copy, index } = this.#parts;
    const present = await this.#retried(() => engine.reader(this.#profile).fetch(namespace, ids));
    if (present.length > 0)
      await this.#retried(() =>
        remote.upsert(copy, namespace, frameContent(packRecords(present, index.dimension))),
      );
    const presentIds = new Set(present.map(({ id }) => id));
    const gone = ids.filter((id) => !presentIds.has(id));
    if (gone.length === 0) return;
    await this.#retried(() => remote.follow(copy, { kind: 'delete-records', namespace, ids: gone }));
    // An empty namespace stays where a caller created it.
    const left = await this.#retried(() => engine.reader(this.#profile).describeNamespace(namespace));
    if (left !== null) await this.#create(left);
  }

  /** Makes a namespace anew, as it is now. */
  async #sendNamespace(namespace: string): Promise<void> {
    const { engine, remote, copy, signal } = this.#parts;
    await this.#retried(() => remote.follow(copy, { kind: 'drop-namespace', namespace }));
    const present = await this.#retried(() => engine.reader(this.#profile).describeNamespace(namespace));
    if (present === null) return;
    await this.#create(present);
    const reading = await this.#retried(() => engine.copies(this.#profile).read({ namespace, signal }));
    try {
      for await (const { records } of reading.batches)
        if (records.count > 0)
          await this.#retried(() => remote.upsert(copy, namespace, frameContent(records)));
    } finally {
      await reading.release();
    }
  }

  /** Others are created by their records. */
  async #create({ name: namespace, schema, isExplicit }: NamespaceSummary): Promise<void> {
    if (!isExplicit) return;
    const { remote, copy } = this.#parts;
    await this.#retried(() => remote.follow(copy, { kind: 'create-namespace', namespace, schema }));
  }

  #retried<Result>(work: () => Promise<Result>): Promise<Result> {
    return retryWhileOverloaded(this.#parts.signal, work);
  }
}
