// The data endpoints as the main thread knows them. Their parts that ask models are joined to them here alone, so that
// engine threads need not load them.
import type { DataEndpoint, DataRoute, Preprocessor } from '../endpoint.ts';
import { dataEndpoints } from './data-endpoints.ts';
import { preprocessDocumentSearch } from './documents/preprocess-document-search.ts';
import { preprocessDocuments } from './documents/preprocess-documents.ts';
import { searchDocuments } from './documents/search-documents.ts';
import { changedDocuments, updateDocuments } from './documents/update-documents.ts';
import { upsertDocuments, upsertedDocuments } from './documents/upsert-documents.ts';
import { requireServed } from './records/index-kinds.ts';
import { preprocessSearch } from './records/preprocess-search.ts';
import { preprocessUpsert } from './records/preprocess-upsert.ts';
import { searchRecords } from './records/search-records.ts';
import { upsertRecords } from './records/upsert-records.ts';

const PREPROCESSORS: ReadonlyMap<string, Preprocessor> = new Map([
  [upsertRecords.id, preprocessUpsert],
  [searchRecords.id, preprocessSearch],
  [upsertDocuments.id, preprocessDocuments(upsertedDocuments)],
  [updateDocuments.id, preprocessDocuments(changedDocuments)],
  [searchDocuments.id, preprocessDocumentSearch],
]);

export const dataRoutes: readonly DataRoute[] = dataEndpoints.map((endpoint) => {
  const preprocess = PREPROCESSORS.get(endpoint.id);
  return preprocess === undefined ? endpoint : { ...endpoint, preprocess: ifServed(endpoint, preprocess) };
});

/** A call that the index does not serve is refused before its body is read. */
function ifServed(endpoint: DataEndpoint, preprocess: Preprocessor): Preprocessor {
  return async (call) => {
    requireServed(endpoint, call.index);
    return preprocess(call);
  };
}
