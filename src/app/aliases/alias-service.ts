// Namespace aliases of one server: rows in the catalog, and tables in memory for the requests of every thread.
import { setTimeout as pause } from 'node:timers/promises';
import type { Catalog, NodeChanges } from '../../catalog/port.ts';
import { checkAliasName, type NamespaceAlias } from '../../domain/aliases/alias-model.ts';
import {
  type ReservedAlias,
  readAliases,
  type SharedAliases,
  shareAliases,
} from '../../domain/aliases/alias-names.ts';
import type { AliasDirectory, AliasPage, NamespaceAliases } from '../../domain/aliases/services.ts';
import { Fault, fault } from '../../domain/faults.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { ALIASES_PER_INDEX_MAX } from '../../domain/limits.ts';
import { namespaceToShown } from '../../domain/records/record-id.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { KeyedQueue } from '../../platform/keyed-queue.ts';

/** How long the catalog is left alone after it could not be read. */
const RETRY_MS = 1_000;

export interface AliasServiceParts {
  readonly catalog: Pick<Catalog, 'namespaceAliases'>;
  readonly engine: Pick<VectorStore, 'reader' | 'earlierWrites'>;
  /** Where nodes share the index, and its writes are not made by one of them alone; null elsewhere, as by default. */
  readonly changes?: Pick<NodeChanges, 'catchUp'> | null;
  readonly now?: () => Date;
}

interface IndexAliases {
  readonly byName: Map<string, NamespaceAlias>;
  shared: SharedAliases | undefined;
  /** The count of changes by this node when it last changed one of these aliases. */
  changedAt: number;
}

export class AliasService implements NamespaceAliases, AliasDirectory {
  readonly #parts: AliasServiceParts;
  readonly #indexes = new Map<string, IndexAliases>();
  /** One change of an index's aliases at a time. */
  readonly #changes = new KeyedQueue();
  /** Indexes whose aliases are being changed, which may wait for long writes; true for those to read again afterwards. */
  readonly #changing = new Map<string, boolean>();
  #changeCount = 0;

  private constructor(parts: AliasServiceParts) {
    this.#parts = parts;
  }

  /** Reads every alias into memory. */
  static async load(parts: AliasServiceParts): Promise<AliasService> {
    const service = new AliasService(parts);
    for (const alias of await parts.catalog.namespaceAliases.list()) {
      service.#of(alias.indexId).byName.set(alias.name, alias);
    }
    for (const id of service.#indexes.keys()) service.#publish(id);
    return service;
  }

  /**
   * Takes over what other nodes have changed: the catalog is read once, however many indexes have aliases. Those that are
   * being changed are read when that ends: everything else must not wait for it.
   */
  async refresh(): Promise<void> {
    const changes = this.#changeCount;
    const stored = await this.#parts.catalog.namespaceAliases.list();
    const byIndex = Map.groupBy(stored, ({ indexId }) => indexId);
    const ids = new Set([...this.#indexes.keys(), ...byIndex.keys()]);
    const reload = async (id: string) => {
      const isOlder = (this.#indexes.get(id)?.changedAt ?? 0) > changes;
      this.#take(id, isOlder ? await this.#parts.catalog.namespaceAliases.list(id) : (byIndex.get(id) ?? []));
    };
    const idle = [...ids].filter((id) => !this.#changing.has(id));
    for (const id of this.#changing.keys()) this.#changing.set(id, true);
    await Promise.all(idle.map((id) => this.#changes.run(id, () => reload(id))));
  }

  #take(indexId: string, stored: readonly NamespaceAlias[]): void {
    const { byName } = this.#of(indexId);
    const isSame =
      stored.length === byName.size &&
      stored.every(({ name, target, updatedAt }) => {
        const known = byName.get(name);
        return known?.target === target && known.updatedAt === updatedAt;
      });
    if (isSame) return;
    byName.clear();
    for (const alias of stored) byName.set(alias.name, alias);
    this.#publish(indexId);
  }

  shared(indexId: string): SharedAliases | undefined {
    return this.#indexes.get(indexId)?.shared;
  }

  isAlias(indexId: string, name: string): boolean {
    const shared = this.shared(indexId);
    return shared !== undefined && readAliases(shared).isAlias(name);
  }

  /** Removes the aliases of a deleted index from memory; the catalog deletes their rows with that of the index. */
  forget(indexId: string): void {
    this.#indexes.delete(indexId);
  }

  async create(index: Index, name: string, target: string): Promise<NamespaceAlias> {
    await this.#parts.changes?.catchUp();
    return this.#change(index.id, async () => {
      const { byName } = this.#of(index.id);
      const existing = byName.get(checkAliasName(name));
      if (existing !== undefined) throw aliasExists(existing);
      if (byName.size >= ALIASES_PER_INDEX_MAX) throw fault('aliases-exhausted');
      const createdAt = this.#now();
      const alias = { indexId: index.id, name, target, createdAt, updatedAt: createdAt };
      return this.#reserved(index, alias, async () => {
        await this.#requireFree(index, name);
        await this.#requireTarget(index, target);
        await this.#insert(index, alias);
      });
    });
  }

  list(indexId: string, { prefix, target, limit, after }: AliasPage) {
    const all = [...(this.#indexes.get(indexId)?.byName.values() ?? [])]
      .filter((alias) => alias.name.startsWith(prefix))
      .filter((alias) => target === undefined || alias.target === target)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const rest = after === null ? all : all.filter(({ name }) => name > after);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    return {
      items,
      next: rest.length > items.length && last !== undefined ? last.name : null,
      total: all.length,
    };
  }

  describe(indexId: string, name: string): NamespaceAlias {
    const alias = this.#indexes.get(indexId)?.byName.get(name);
    if (alias === undefined) throw fault('alias-not-found', { name });
    return alias;
  }

  async repoint(index: Index, name: string, target: string): Promise<NamespaceAlias> {
    await this.#parts.changes?.catchUp();
    return this.#change(index.id, async () => {
      const alias = this.describe(index.id, name);
      const repointed = { ...alias, target, updatedAt: this.#now(alias.updatedAt) };
      return this.#reserved(index, repointed, async () => {
        await this.#requireTarget(index, target);
        if (!(await this.#parts.catalog.namespaceAliases.repoint(repointed))) {
          // Another node has deleted it.
          this.#of(index.id).byName.delete(name);
          throw fault('alias-not-found', { name });
        }
        await this.#confirm(repointed, {
          undo: () => this.#parts.catalog.namespaceAliases.repoint(alias),
        });
      });
    });
  }

  async delete(index: Index, name: string): Promise<void> {
    await this.#parts.changes?.catchUp();
    return this.#change(index.id, async () => {
      this.describe(index.id, name);
      await this.#parts.catalog.namespaceAliases.delete(index.id, name);
      this.#of(index.id).byName.delete(name);
      this.#publish(index.id);
    });
  }

  /**
   * Stores an alias by `store`, which makes its checks before. Meanwhile its name and target are reserved: writes that
   * begin now respect them, and those that began earlier end before the checks.
   */
  async #reserved(index: Index, alias: NamespaceAlias, store: () => Promise<void>): Promise<NamespaceAlias> {
    const { byName } = this.#of(index.id);
    const { name, target } = alias;
    requireUnchained([...byName.values(), alias], alias);
    this.#publish(index.id, { name, target });
    try {
      await this.#earlierWrites(index);
      await store();
      byName.set(name, alias);
      return alias;
    } finally {
      this.#publish(index.id);
    }
  }

  async #insert(index: Index, alias: NamespaceAlias): Promise<void> {
    const { namespaceAliases } = this.#parts.catalog;
    const { name } = alias;
    const outcome = await namespaceAliases.insert(alias);
    if (outcome === 'index-gone') throw fault('unknown-host', { host: index.name });
    if (outcome === 'name-taken') {
      // By another node.
      this.#take(index.id, await namespaceAliases.list(index.id));
      throw aliasExists(this.#of(index.id).byName.get(name) ?? alias);
    }
    await this.#confirm(alias, {
      check: async () => {
        await this.#earlierWrites(index);
        await this.#requireFree(index, name);
      },
      undo: () => namespaceAliases.delete(index.id, name),
    });
  }

  /**
   * Checks a stored alias once more: other nodes have not respected the reservation. From now on its row keeps them from
   * its name, and from its target as a name.
   */
  async #confirm(
    alias: NamespaceAlias,
    { check, undo }: { readonly check?: () => Promise<void>; readonly undo: () => Promise<unknown> },
  ): Promise<void> {
    if (!this.#parts.changes) return;
    try {
      await check?.();
      requireUnchained(await this.#parts.catalog.namespaceAliases.list(alias.indexId), alias);
    } catch (error) {
      await undo();
      throw error;
    }
  }

  #earlierWrites(index: Index): Promise<void> {
    return this.#parts.engine.earlierWrites(profileOf(index));
  }

  async #requireFree(index: Index, name: string): Promise<void> {
    if (await this.#exists(index, name)) throw fault('name-in-use-by-namespace', { name });
  }

  async #requireTarget(index: Index, target: string): Promise<void> {
    if (!(await this.#exists(index, target)))
      throw fault('target-namespace-not-found', { name: namespaceToShown(target) });
  }

  /** Until the catalog answers. */
  async #readAgain(indexId: string): Promise<void> {
    for (;;) {
      try {
        this.#take(indexId, await this.#parts.catalog.namespaceAliases.list(indexId));
        return;
      } catch {
        await pause(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** One at a time, which a refresh notices that has read the catalog before it ended. */
  #change<Result>(indexId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#changes.run(indexId, async () => {
      this.#changing.set(indexId, false);
      try {
        return await work();
      } finally {
        this.#of(indexId).changedAt = ++this.#changeCount;
        const isStale = this.#changing.get(indexId) === true;
        this.#changing.delete(indexId);
        if (isStale) await this.#readAgain(indexId);
      }
    });
  }

  async #exists(index: Index, namespace: string): Promise<boolean> {
    return (await this.#parts.engine.reader(profileOf(index)).describeNamespace(namespace)) !== null;
  }

  #of(indexId: string): IndexAliases {
    const known = this.#indexes.get(indexId) ?? { byName: new Map(), shared: undefined, changedAt: 0 };
    this.#indexes.set(indexId, known);
    return known;
  }

  /** Makes the aliases those of every request that begins from now on. */
  #publish(indexId: string, reserved: ReservedAlias | null = null): void {
    const aliases = this.#indexes.get(indexId);
    if (aliases === undefined) return;
    const targets = [...aliases.byName.values()].map(({ name, target }) => [name, target] as const);
    aliases.shared = shareAliases({ targets, reserved });
  }

  /** The time, later than `previous` if given, as the clock may stand still between two changes. */
  #now(previous?: string): string {
    const now = this.#parts.now?.() ?? new Date();
    const earliest = previous === undefined ? 0 : Date.parse(previous) + 1;
    return new Date(Math.max(now.getTime(), earliest)).toISOString();
  }
}

/** Aliases of an index lead to namespaces, each in one step. @throws target-is-alias, name-is-target */
function requireUnchained(aliases: readonly NamespaceAlias[], { name, target }: NamespaceAlias): void {
  for (const other of aliases) {
    if (other.name === target) throw fault('target-is-alias', { name: target });
    if (other.target === name) throw fault('name-is-target', { name, alias: other.name });
  }
}

function aliasExists({ name, target }: NamespaceAlias): Fault {
  const shown = namespaceToShown(target);
  const { condition, message } = fault('alias-exists', { name, target: shown });
  return new Fault(condition, message, { metadata: { target_namespace: shown } });
}
