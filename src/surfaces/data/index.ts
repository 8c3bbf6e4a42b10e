// Every data plane endpoint, for the server to route by and OpenAPI to be generated from.
import type { DataEndpoint } from '../endpoint.ts';
import { createNamespace } from './create-namespace.ts';
import { deleteNamespace } from './delete-namespace.ts';
import { deleteVectors } from './delete-vectors.ts';
import { deleteVectorsByQuery } from './delete-vectors-by-query.ts';
import { describeIndexStats } from './describe-index-stats.ts';
import { describeNamespace } from './describe-namespace.ts';
import { fetchVectors } from './fetch-vectors.ts';
import { fetchVectorsByMetadata } from './fetch-vectors-by-metadata.ts';
import { getIndexStats } from './get-index-stats.ts';
import { listNamespaces } from './list-namespaces.ts';
import { listVectors } from './list-vectors.ts';
import { queryVectors } from './query-vectors.ts';
import { searchRecords } from './search-records.ts';
import { updateVectors } from './update-vectors.ts';
import { upsertRecords } from './upsert-records.ts';
import { upsertVectors } from './upsert-vectors.ts';

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
];
