// Copies records and namespaces from the vectors of an index that answer to those that do not.
import { Fault } from '../../domain/faults.ts';
import { storedProfileOf } from '../../domain/index-model.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import type { ChangedRecord } from '../../engine/port/changed-records.ts';
import { unpackRecords } from '../../engine/port/packed-records.ts';
import type { NamespaceSummary } from '../../engine/port/reader-and-writer.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { StandbyMaker, type StandbyMakerParts } from './standby-maker.ts';

export interface StandbyCopierParts extends StandbyMakerParts {
  readonly engine: Pick<VectorStore, 'reader' | 'writer' | 'copies'>;
}

export class StandbyCopier {
  readonly #parts: StandbyCopierParts;
  readonly #maker: StandbyMaker;

  /** @throws as the constructor of StandbyMaker */
  constructor(parts: StandbyCopierParts) {
    this.#parts = parts;
    this.#maker = new StandbyMaker(parts);
  }

  /** Copies records as they are now; safe to repeat. @throws Unembeddable, and what a model throws */
  async copy(namespace: NamespaceSummary, records: readonly StorableRecord[]): Promise<void> {
    await this.#createNamespace(namespace);
    if (records.length === 0) return;
    const made = await this.#maker.make(namespace.name, records);
    await this.#write(namespace.name, made);
  }

  /** Brings what these changes name up to date; safe to repeat. @throws as `copy` */
  async follow(changed: readonly ChangedRecord[]): Promise<void> {
    const byNamespace = Map.groupBy(changed, ({ namespace }) => namespace);
    for (const [namespace, changes] of byNamespace) {
      this.#parts.signal.throwIfAborted();
      const ids = changes.flatMap(({ id }) => id ?? []);
      if (ids.length < changes.length) await this.#copyNamespace(namespace);
      else await this.#followIds(namespace, ids);
    }
  }

  async #followIds(namespace: string, ids: readonly string[]): Promise<void> {
    const { engine, active, standby } = this.#parts;
    const present = await this.#retried(() => engine.reader(storedProfileOf(active)).fetch(namespace, ids));
    const presentIds = new Set(present.map(({ id }) => id));
    const known = await this.#retried(() =>
      engine.reader(storedProfileOf(standby)).fetch(namespace, [...presentIds]),
    );
    const made = await this.#maker.make(namespace, present, known);
    if (made.length > 0) await this.#write(namespace, made);
    const gone = ids.filter((id) => !presentIds.has(id));
    if (gone.length === 0) return;
    await this.#unlessMissing(() => engine.writer(storedProfileOf(standby)).deleteIds(namespace, gone));
    // An empty namespace stays where a caller created it.
    const left = await this.#retried(() =>
      engine.reader(storedProfileOf(active)).describeNamespace(namespace),
    );
    if (left !== null) await this.#createNamespace(left);
  }

  /** Makes a namespace anew, as it is now. */
  async #copyNamespace(name: string): Promise<void> {
    const { engine, active, standby, signal } = this.#parts;
    await this.#unlessMissing(() => engine.writer(storedProfileOf(standby)).deleteNamespace(name));
    const namespace = await this.#retried(() =>
      engine.reader(storedProfileOf(active)).describeNamespace(name),
    );
    if (namespace === null) return;
    const reading = await this.#retried(() =>
      engine.copies(storedProfileOf(active)).read({ namespace: name, signal }),
    );
    try {
      for await (const { namespace: read, records } of reading.batches)
        await this.copy(read, unpackRecords(records));
    } finally {
      await reading.release();
    }
  }

  /** Others are created by their records. */
  async #createNamespace({ name, schema, isExplicit }: NamespaceSummary): Promise<void> {
    if (!isExplicit) return;
    const { engine, standby } = this.#parts;
    const known = await this.#retried(() => engine.reader(storedProfileOf(standby)).describeNamespace(name));
    if (known === null)
      await this.#retried(() => engine.writer(storedProfileOf(standby)).createNamespace(name, schema));
  }

  async #write(namespace: string, records: readonly StorableRecord[]): Promise<void> {
    const { engine, standby } = this.#parts;
    const recordsMax = 500;
    for (let first = 0; first < records.length; first += recordsMax) {
      const some = records.slice(first, first + recordsMax);
      await this.#retried(() => engine.writer(storedProfileOf(standby)).upsert(namespace, some));
    }
  }

  async #unlessMissing(work: () => Promise<unknown>): Promise<void> {
    await this.#retried(work).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.condition !== 'namespace-not-found') throw error;
    });
  }

  #retried<Result>(work: () => Promise<Result>): Promise<Result> {
    return retryWhileOverloaded(this.#parts.signal, work);
  }
}
