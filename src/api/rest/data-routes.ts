// The data endpoints as the serving thread knows them. Their parts that ask models are joined to them here alone, so that
// engine threads need not load them.
import type { DataRoute, Front } from '../endpoint.ts';
import { dataEndpoints } from './data-endpoints.ts';
import { searchRecords } from './records/search-records.ts';
import { searchRecordsFront } from './records/search-records-front.ts';
import { upsertRecords } from './records/upsert-records.ts';
import { upsertRecordsFront } from './records/upsert-records-front.ts';

const FRONTS: ReadonlyMap<string, Front> = new Map([
  [upsertRecords.id, upsertRecordsFront],
  [searchRecords.id, searchRecordsFront],
]);

export const dataRoutes: readonly DataRoute[] = dataEndpoints.map((endpoint) => {
  const front = FRONTS.get(endpoint.id);
  return front === undefined ? endpoint : { ...endpoint, front };
});
