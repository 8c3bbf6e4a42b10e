// The data endpoints as the serving thread knows them. Their parts that ask models are joined to them here alone, so that
// engine threads need not load them.
import type { DataRoute, Front } from '../endpoint.ts';
import { dataEndpoints } from './index.ts';
import { searchRecords } from './search-records.ts';
import { searchRecordsFront } from './search-records-front.ts';
import { upsertRecords } from './upsert-records.ts';
import { upsertRecordsFront } from './upsert-records-front.ts';

const FRONTS: ReadonlyMap<string, Front> = new Map([
  [upsertRecords.id, upsertRecordsFront],
  [searchRecords.id, searchRecordsFront],
]);

export const dataRoutes: readonly DataRoute[] = dataEndpoints.map((endpoint) => {
  const front = FRONTS.get(endpoint.id);
  return front === undefined ? endpoint : { ...endpoint, front };
});
