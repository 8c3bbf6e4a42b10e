// A reader whose queries run in another way, for what requests ask of searches besides their bodies.
import type { VectorReader } from '../../../app/records/record-access.ts';

type Queries = Pick<VectorReader, 'query' | 'explainQuery'>;

/** The reader with other queries. Readers are objects of classes, whose methods no spread would copy. */
export function withQueries(reader: VectorReader, queries: Queries): VectorReader {
  return {
    ...queries,
    lsn: () => reader.lsn(),
    fetch: (namespace, ids) => reader.fetch(namespace, ids),
    fetchByFilter: (request) => reader.fetchByFilter(request),
    count: (namespace, filter) => reader.count(namespace, filter),
    countValues: (request) => reader.countValues(request),
    listIds: (request) => reader.listIds(request),
    listNamespaces: (request) => reader.listNamespaces(request),
    recordCounts: () => reader.recordCounts(),
    describeNamespace: (name) => reader.describeNamespace(name),
    indexedFields: (name) => reader.indexedFields(name),
  };
}
