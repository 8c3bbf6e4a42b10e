// Sets and shows when the records of an index expire.
import type { ProjectAccess } from '../../domain/access.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import { checkTimeToLive, isFilterable } from '../../domain/expiry/check-time-to-live.ts';
import type { TimeToLives } from '../../domain/expiry/services.ts';
import type { TimeToLive } from '../../domain/expiry/time-to-live.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { namespaceToShown } from '../../domain/records/record-id.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';

const NAMESPACES_A_PAGE = 1_000;

export interface TimeToLiveParts {
  readonly indexes: Pick<IndexLifecycle, 'describe' | 'configure'>;
  readonly engine: Pick<VectorStore, 'reader'>;
  readonly aliases: Pick<AliasDirectory, 'isAlias'>;
}

export class TimeToLiveService implements TimeToLives {
  readonly #parts: TimeToLiveParts;

  constructor(parts: TimeToLiveParts) {
    this.#parts = parts;
  }

  async describe(access: ProjectAccess, indexName: string): Promise<TimeToLive | null> {
    return (await this.#parts.indexes.describe(access, indexName)).timeToLive ?? null;
  }

  async set(access: ProjectAccess, indexName: string, ttl: TimeToLive): Promise<TimeToLive> {
    const { indexes } = this.#parts;
    const index = await indexes.describe(access, indexName);
    checkTimeToLive(index, ttl);
    this.#refuseAliases(index, ttl);
    if (index.state === 'Ready') await this.#checkNamespaces(index, ttl);
    await indexes.configure(access, indexName, { timeToLive: ttl });
    return ttl;
  }

  async end(access: ProjectAccess, indexName: string): Promise<void> {
    await this.#parts.indexes.configure(access, indexName, { timeToLive: null });
  }

  /**
   * No namespace has the name of an alias. What the setting names already stays allowed: such a name may have become an
   * alias since, and nobody could change the rest of the setting. @throws lifetime-of-alias
   */
  #refuseAliases({ id, timeToLive }: Index, { namespaces }: TimeToLive): void {
    const known = timeToLive?.namespaces ?? {};
    const name = Object.keys(namespaces).find(
      (each) => !Object.hasOwn(known, each) && this.#parts.aliases.isAlias(id, each),
    );
    if (name !== undefined) throw fault('lifetime-of-alias', { name });
  }

  /** Namespaces with schemas of their own must let filters use the field, too. @throws invalid-argument */
  async #checkNamespaces(index: Index, ttl: TimeToLive): Promise<void> {
    const reader = this.#parts.engine.reader(profileOf(index));
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof reader.listNamespaces>> = await reader.listNamespaces({
        prefix: '',
        limit: NAMESPACES_A_PAGE,
        after,
      });
      const other = page.items.find(({ schema }) => !isFilterable(schema, ttl));
      if (other !== undefined)
        throw invalid(
          `field '${ttl.field}' is not in the schema of namespace '${namespaceToShown(other.name)}', so filters cannot use it there`,
        );
      after = page.next;
    } while (after !== null);
  }
}
