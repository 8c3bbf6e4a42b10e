// All data plane endpoints, for routing and for the OpenAPI document.
import type { DataEndpoint } from '../endpoint.ts';
import { browseRecords } from './browse/browse-records.ts';
import { compareSearches } from './browse/compare-searches.ts';
import { findNeighbors } from './browse/find-neighbors.ts';
import { deleteDocuments } from './documents/delete-documents.ts';
import { fetchDocuments } from './documents/fetch-documents.ts';
import { listDocuments } from './documents/list-documents.ts';
import { searchDocuments } from './documents/search-documents.ts';
import { updateDocuments } from './documents/update-documents.ts';
import { upsertDocuments } from './documents/upsert-documents.ts';
import { createNamespace } from './namespaces/create-namespace.ts';
import { deleteNamespace } from './namespaces/delete-namespace.ts';
import { describeNamespace } from './namespaces/describe-namespace.ts';
import { listNamespaces } from './namespaces/list-namespaces.ts';
import { deleteVectors } from './records/delete-vectors.ts';
import { deleteVectorsByQuery } from './records/delete-vectors-by-query.ts';
import { describeIndexStats } from './records/describe-index-stats.ts';
import { fetchVectors } from './records/fetch-vectors.ts';
import { fetchVectorsByMetadata } from './records/fetch-vectors-by-metadata.ts';
import { getIndexStats } from './records/get-index-stats.ts';
import { listVectors } from './records/list-vectors.ts';
import { queryVectors } from './records/query-vectors.ts';
import { searchRecords } from './records/search-records.ts';
import { updateVectors } from './records/update-vectors.ts';
import { upsertRecords } from './records/upsert-records.ts';
import { upsertVectors } from './records/upsert-vectors.ts';

export const dataEndpoints: readonly DataEndpoint[] = [
  upsertVectors,
  queryVectors,
  fetchVectors,
  fetchVectorsByMetadata,
  listVectors,
  updateVectors,
  deleteVectors,
  deleteVectorsByQuery,
  describeIndexStats,
  getIndexStats,
  createNamespace,
  listNamespaces,
  describeNamespace,
  deleteNamespace,
  upsertRecords,
  searchRecords,
  browseRecords,
  findNeighbors,
  compareSearches,
  upsertDocuments,
  searchDocuments,
  fetchDocuments,
  listDocuments,
  updateDocuments,
  deleteDocuments,
];
