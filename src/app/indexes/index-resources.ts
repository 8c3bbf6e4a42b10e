// The resources of an index, changed together: catalog row, memory, storage and port.
import type { Catalog } from '../../catalog/port.ts';
import { storagesOf } from '../../domain/embedding/model-change.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type { PortDirectory } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { IndexHosts } from './index-hosts.ts';
import { IndexPorts } from './index-ports.ts';
import { IndexRegistry } from './index-registry.ts';
import { type PortOwner, PortPool, type PortRange } from './port-pool.ts';

export interface IndexResourcesParts {
  readonly catalog: Pick<Catalog, 'indexes'>;
  readonly engine: Pick<VectorStore, 'capabilities' | 'createIndex' | 'dropIndex'>;
  readonly ports: PortDirectory;
  readonly hosts: IndexHosts;
  /** Null when indexes are served by virtual hosts and need no ports. */
  readonly portRange: PortRange | null;
  /** How many ports may be open when an index is created; default all of the range. */
  readonly portsMax?: number | undefined;
  /** Keeps what the catalog knows of an index beside its data. Never rejects. */
  readonly describe?: (index: Index) => Promise<void>;
}

export class IndexResources {
  readonly registry: IndexRegistry;
  readonly #parts: IndexResourcesParts;
  readonly #pool: PortPool | null;
  readonly #ports: IndexPorts;
  /** Indexes in memory that have no row yet. */
  readonly #reserved = new Set<string>();
  /** For each list of the catalog that is being read, the indexes that have changed here since: it may have them older. */
  readonly #changedSince = new Set<Set<string>>();

  private constructor(parts: IndexResourcesParts, pool: PortPool | null) {
    this.#parts = parts;
    this.#pool = pool;
    this.#ports = new IndexPorts(parts.ports);
    this.registry = new IndexRegistry(parts.hosts);
  }

  /** Reads the catalog. Assigns or removes ports when that setting has changed. */
  static async load(parts: IndexResourcesParts): Promise<IndexResources> {
    const { portRange, portsMax, catalog } = parts;
    const grants = portRange === null ? [] : await catalog.indexes.portGrants();
    const pool = portRange === null ? null : new PortPool(portRange, grants, portsMax);
    const store = new IndexResources(parts, pool);
    const indexes = await catalog.indexes.list();
    for (const { port } of indexes) if (port !== null) pool?.hold(port);
    for (const index of indexes) {
      const placed = store.#placed(index, true);
      if (placed.port === index.port) store.registry.put(index);
      else await store.update(index.id, (stored) => ({ ...stored, port: placed.port }));
    }
    return store;
  }

  /**
   * Puts a new index into memory, which reserves its name and its port.
   * @throws invalid-argument for what the engine cannot hold: documents, or a dimension; index-ports-exhausted
   */
  reserve(draft: Index): void {
    const { dimensionMax, documents } = this.#parts.engine.capabilities;
    if (draft.documents !== null && !documents)
      throw invalid('the engine of this server holds no document indexes; create an index of vectors.');
    if (draft.dimension !== null && draft.dimension > dimensionMax)
      throw invalid(`dimension must be at most ${dimensionMax} on this server, got ${draft.dimension}.`);
    this.#reserved.add(draft.id);
    this.registry.put(this.#placed(draft, false));
  }

  /** Takes over what other nodes have changed; nodes of several have no ports of indexes. */
  async refresh(): Promise<void> {
    let changed: Set<string>;
    do {
      changed = new Set();
      const indexes = await this.#listNoting(changed);
      const ids = new Set(indexes.map(({ id }) => id));
      for (const { id } of this.registry.all())
        if (!ids.has(id) && !this.#reserved.has(id) && !changed.has(id)) this.registry.delete(id);
      for (const index of indexes) if (!changed.has(index.id)) this.registry.put(index);
    } while (changed.size > 0);
  }

  /** @param changed gets the ids of indexes that change here meanwhile */
  async #listNoting(changed: Set<string>): Promise<readonly Index[]> {
    this.#changedSince.add(changed);
    try {
      return await this.#parts.catalog.indexes.list();
    } finally {
      this.#changedSince.delete(changed);
    }
  }

  #put(index: Index): void {
    this.#noteChanged(index.id);
    this.registry.put(index);
  }

  /** Call whenever something of an index was committed. */
  #noteChanged(id: string): void {
    for (const changed of this.#changedSince) changed.add(id);
  }

  /** Completes a reserved index. @throws any failure; the caller must then `discard` it */
  async build(id: string): Promise<Index> {
    const index = await this.insert(id);
    await this.#parts.engine.createIndex(profileOf(index));
    const ready = await this.update(id, (stored) => {
      // Another node may have begun to delete it.
      if (stored.state === 'Terminating') throw fault('index-not-found', { name: index.name });
      return { ...stored, state: 'Ready' };
    });
    if (ready === null) throw fault('index-not-found', { name: index.name });
    return ready;
  }

  /** Stores a reserved index that another component fills. @throws as `build` */
  async insert(id: string): Promise<Index> {
    const index = await this.#listen(this.#required(id));
    await this.#parts.catalog.indexes.insert(index);
    this.#noteChanged(id);
    this.#reserved.delete(id);
    return index;
  }

  /** Opens the port of an index that was ready before. */
  async open(index: Index): Promise<void> {
    if (index.port !== null) await this.#ports.listen(index.port);
  }

  /** Opens the ports of deleted indexes that clients may still call, except those that other processes use. */
  async openRetired(): Promise<void> {
    for (const { port, retiredAt } of await this.#parts.catalog.indexes.portGrants()) {
      if (retiredAt === null || this.#pool?.contains(port) !== true) continue;
      await this.#ports.reopen(port, Date.parse(retiredAt)).catch((error) => {
        if (!isPortTaken(error)) throw error;
      });
    }
  }

  /**
   * Changes the index as the catalog has it, which other nodes may have changed. Writes the catalog first, so that memory
   * never shows what a crash would revert.
   * @returns null when the index is gone. @throws what `change` throws
   */
  async update(id: string, change: (index: Index) => Index): Promise<Index | null> {
    const index = await this.#parts.catalog.indexes.update(id, change);
    if (index === null) return null;
    this.#put(index);
    await this.describe(index);
    return index;
  }

  /** Keeps a description of the index beside its data, unless the same is there. */
  async describe(index: Index): Promise<void> {
    await this.#parts.describe?.(index);
  }

  /** Takes over what a change of the catalog, such as the beginning of a deletion, leaves of an index. @throws as it does */
  async take(change: (indexes: Catalog['indexes']) => Promise<Index | null>): Promise<Index | null> {
    const index = await change(this.#parts.catalog.indexes);
    if (index !== null) this.#put(index);
    return index;
  }

  /** Removes the engine's data of an index; safe to repeat. */
  async empty(id: string): Promise<void> {
    const index = this.#required(id);
    for (const storage of storagesOf(index)) await this.#parts.engine.dropIndex(storage);
  }

  /** Removes every resource that exists; safe to repeat. The row goes last: while it exists, work is left. */
  async discard(index: Index): Promise<void> {
    if (index.port !== null) {
      if (index.state === 'Terminating') this.#ports.retire(index.port, Date.now());
      else await this.#ports.close(index.port);
    }
    for (const storage of storagesOf(index)) await this.#parts.engine.dropIndex(storage);
    await this.#parts.catalog.indexes.delete(index.id);
    this.#noteChanged(index.id);
    this.#reserved.delete(index.id);
    this.registry.delete(index.id);
    if (index.port !== null) this.#pool?.retire(index.port, ownerOf(index));
  }

  /** Returns the index with a port exactly when ports are in use. */
  #placed(index: Index, exists: boolean): Index {
    if (this.#pool === null) return { ...index, port: null };
    if (index.port !== null) return index;
    const owner = ownerOf(index);
    return { ...index, port: exists ? this.#pool.takeForExisting(owner) : this.#pool.take(owner) };
  }

  /** Listens on the index's port, or on the next one that no other process uses. */
  async #listen(index: Index): Promise<Index> {
    const refused = new Set<number>();
    for (let placed = index; ; ) {
      try {
        await this.open(placed);
        return placed;
      } catch (error) {
        if (!isPortTaken(error) || placed.port === null || this.#pool === null) throw error;
        refused.add(placed.port);
        const port = this.#pool.take(ownerOf(index), refused);
        this.#pool.release(placed.port);
        placed = { ...placed, port };
        this.registry.put(placed);
      }
    }
  }

  #required(id: string): Index {
    const index = this.registry.get(id);
    if (index === undefined) throw new Error(`Index ${id} is not reserved.`);
    return index;
  }
}

/** True when another process uses the port. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function ownerOf(index: Index): PortOwner {
  return { projectId: index.projectId, indexName: index.name };
}
