// Reads of the namespaces of an index from LMDB.
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { ListPage, NamespaceRecords, NamespaceSummary } from '../../port/reader-and-writer.ts';
import { VisibleRecords } from '../storage/branches/visible-records.ts';
import { type NamespaceRow, shownBy } from '../storage/namespace-table.ts';
import type { LatestStore } from './latest-store.ts';
import { filterableFields, textFieldNames } from './namespace-filter.ts';

export abstract class StoredNamespaces {
  readonly #profile: IndexProfile;

  constructor(profile: IndexProfile) {
    this.#profile = profile;
  }

  /** @throws index-not-found */
  protected abstract store(): LatestStore;

  async listNamespaces(request: {
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<NamespaceSummary> & { readonly total: number }> {
    const store = this.store().now;
    const total = store.namespaces.count(request.prefix);
    const items: NamespaceSummary[] = [];
    for (const { name, row } of store.namespaces.list(request.prefix, request.after)) {
      if (items.length === request.limit) return { items, next: items.at(-1)?.name ?? null, total };
      items.push(summaryOf(name, row));
    }
    return { items, next: null, total };
  }

  async recordCounts(): Promise<readonly (readonly NamespaceRecords[])[]> {
    const namespaces = [...this.store().now.namespaces.list('', null)];
    const counts = namespaces.map(({ name, row }) => ({ name, recordCount: shownBy(row).records }));
    return [counts];
  }

  async describeNamespace(name: string): Promise<NamespaceSummary | null> {
    const row = this.store().namespace(name);
    return row === null ? null : summaryOf(name, row);
  }

  async indexedFields(name: string): Promise<readonly string[]> {
    const row = this.store().namespace(name);
    if (row === null) return [];
    const { shown } = this.store();
    const fields = filterableFields(this.#profile, row) ?? new VisibleRecords(shown).fields(row.namespaceId);
    const texts = textFieldNames(this.#profile);
    return fields.filter((field) => !texts.has(field)).sort();
  }
}

function summaryOf(name: string, row: NamespaceRow): NamespaceSummary {
  const { namespaceId, schema, isExplicit } = row;
  const { records, bytes } = shownBy(row);
  return { number: namespaceId, name, recordCount: records, sizeBytes: bytes, schema, isExplicit };
}
