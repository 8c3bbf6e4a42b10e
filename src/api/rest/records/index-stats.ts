// Counts of an index and its namespaces, as both stats endpoints answer them.
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { NamespaceSummary, VectorReader } from '../../../engine/port/reader-and-writer.ts';
import type { DataCall, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';

/** Namespaces read from the store at a time. */
const NAMESPACES_PER_PAGE = 1_000;

export const IndexStats = Type.Object({
  namespaces: Type.Record(Type.String(), Type.Object({ vectorCount: Type.Integer() })),
  dimension: Type.Optional(Type.Integer({ description: 'Absent on sparse indexes.' })),
  indexFullness: Type.Number(),
  totalVectorCount: Type.Integer(),
  metric: Type.Optional(Type.String()),
  vectorType: Type.Optional(Type.String()),
  memoryFullness: Type.Optional(Type.Number({ description: 'Dedicated read capacity only.' })),
  storageFullness: Type.Optional(Type.Number({ description: 'Dedicated read capacity only.' })),
  memory_fullness: Type.Optional(Type.Number()),
  storage_fullness: Type.Optional(Type.Number()),
});

/** Counts all records, or those that match the filter. */
export async function statsReply(
  { index, store, version }: DataCall<VectorReader>,
  filter: Filter | null,
): Promise<Reply> {
  const counts: [string, { readonly vectorCount: number }][] = [];
  let total = 0;
  for await (const summary of everyNamespace(store)) {
    const vectorCount = filter === null ? summary.recordCount : await store.count(summary.name, filter);
    counts.push([
      isAtLeast(version, '2025-04') ? namespaceToShown(summary.name) : summary.name,
      { vectorCount },
    ]);
    total += vectorCount;
  }
  return {
    status: 200,
    body: {
      namespaces: Object.fromEntries(counts),
      ...(index.dimension === null ? {} : { dimension: index.dimension }),
      indexFullness: 0,
      totalVectorCount: total,
      ...kindFacts(index, version),
    },
  };
}

async function* everyNamespace(store: VectorReader): AsyncGenerator<NamespaceSummary> {
  let after: string | null = null;
  do {
    const page = await store.listNamespaces({ prefix: '', limit: NAMESPACES_PER_PAGE, after });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

/** Storage grows with the disk, so that no index is ever nearly full. Both spellings of fullness are read by clients. */
function kindFacts(index: IndexProfile, version: RequestedVersion) {
  const type = isAtLeast(version, '2025-01') ? { metric: index.metric, vectorType: index.vectorType } : {};
  if (!index.dedicated) return type;
  return { ...type, memoryFullness: 0, storageFullness: 0, memory_fullness: 0, storage_fullness: 0 };
}
