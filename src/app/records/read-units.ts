// The read units that reads report, following the published pricing of the public service.
import type { VectorReader } from './record-access.ts';

const RECORDS_PER_UNIT = 10;
const BYTES_PER_GIGABYTE = 1e9;

/** The units of a fetch: one for each RECORDS_PER_UNIT records or part of them, at least 1. */
export function fetchUnits(records: number): number {
  return Math.max(1, Math.ceil(records / RECORDS_PER_UNIT));
}

/** The units of a query: one for each gigabyte of the namespace or part of it, at least 1. */
export async function queryUnits(store: VectorReader, namespace: string): Promise<number> {
  const summary = await store.describeNamespace(namespace);
  return Math.max(1, Math.ceil((summary?.sizeBytes ?? 0) / BYTES_PER_GIGABYTE));
}
