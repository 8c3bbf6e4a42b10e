// The data endpoints as the main thread knows them. Their parts that ask models are joined to them here alone, so that
// engine threads need not load them.
import type { DataRoute, Preprocessor } from '../endpoint.ts';
import { dataEndpoints } from './data-endpoints.ts';
import { preprocessSearch } from './records/preprocess-search.ts';
import { preprocessUpsert } from './records/preprocess-upsert.ts';
import { searchRecords } from './records/search-records.ts';
import { upsertRecords } from './records/upsert-records.ts';

const PREPROCESSORS: ReadonlyMap<string, Preprocessor> = new Map([
  [upsertRecords.id, preprocessUpsert],
  [searchRecords.id, preprocessSearch],
]);

export const dataRoutes: readonly DataRoute[] = dataEndpoints.map((endpoint) => {
  const preprocess = PREPROCESSORS.get(endpoint.id);
  return preprocess === undefined ? endpoint : { ...endpoint, preprocess };
});
