// Counts the records of an index, namespace by namespace.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { NamespaceSummary, VectorReader } from './record-access.ts';

/** How many namespaces to list at a time. */
const NAMESPACES_PER_PAGE = 1_000;

export interface NamespaceCount {
  readonly namespace: string;
  readonly records: number;
}

/** Counts the records of each namespace, or those that match the filter. In bytewise order of names. */
export async function countRecords(
  reader: VectorReader,
  filter: Filter | null,
): Promise<readonly NamespaceCount[]> {
  const counts: NamespaceCount[] = [];
  for await (const { name, recordCount } of everyNamespace(reader)) {
    const records = filter === null ? recordCount : await reader.count(name, filter);
    counts.push({ namespace: name, records });
  }
  return counts;
}

async function* everyNamespace(reader: VectorReader): AsyncGenerator<NamespaceSummary> {
  let after: string | null = null;
  do {
    const page = await reader.listNamespaces({ prefix: '', limit: NAMESPACES_PER_PAGE, after });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}
