// Readers that answer as another one, but for some of their methods.
import type { VectorReader } from './reader-and-writer.ts';

const METHODS = Object.keys({
  lsn: true,
  query: true,
  explainQuery: true,
  countedQuery: true,
  fetch: true,
  fetchByFilter: true,
  count: true,
  countValues: true,
  listIds: true,
  listNamespaces: true,
  recordCounts: true,
  describeNamespace: true,
  indexedFields: true,
} satisfies Record<keyof VectorReader, true>) as (keyof VectorReader)[];

/**
 * The reader with methods of its own; all others get their arguments, optional ones included, as they are. Readers may
 * be objects of classes, whose methods no spread would copy.
 */
export function readerOver(reader: VectorReader, own: Partial<VectorReader>): VectorReader {
  const others = METHODS.map((name) => [name, reader[name].bind(reader)]);
  return { ...(Object.fromEntries(others) as VectorReader), ...own };
}
