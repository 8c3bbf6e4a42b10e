// Counts the records of an index, namespace by namespace.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { NamespaceRecords, VectorReader } from './record-access.ts';

/**
 * Counts the records of each namespace, or those that match the filter. In bytewise order of names, in blocks: one that
 * is returned again has not changed.
 */
export async function countRecords(
  reader: VectorReader,
  filter: Filter | null,
): Promise<readonly (readonly NamespaceRecords[])[]> {
  const counts = await reader.recordCounts();
  if (filter === null) return counts;
  const matching: NamespaceRecords[] = [];
  for (const { name } of counts.flat())
    matching.push({ name, recordCount: await reader.count(name, filter) });
  return [matching];
}
