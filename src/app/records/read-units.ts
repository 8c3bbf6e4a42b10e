// Read units reported by reads, after the published pricing of the public service.
import type { VectorReader } from './record-access.ts';

const RECORDS_PER_UNIT = 10;
const BYTES_PER_GIGABYTE = 1e9;

/** One unit for each 10 records fetched, at least 1. */
export function fetchUnits(records: number): number {
  return Math.max(1, Math.ceil(records / RECORDS_PER_UNIT));
}

/** One unit for each started gigabyte of the namespace, at least 1. */
export async function queryUnits(store: VectorReader, namespace: string): Promise<number> {
  const summary = await store.describeNamespace(namespace);
  return Math.max(1, Math.ceil((summary?.sizeBytes ?? 0) / BYTES_PER_GIGABYTE));
}
