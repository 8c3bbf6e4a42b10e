// Reads all records of a namespace, however many there are.
import type { Connection } from './connection.ts';
import type { ModelRecord } from './model.ts';

const FETCHED_AT_ONCE = 500;

export async function everything(
  connection: Connection,
  namespace: string,
): Promise<ReadonlyMap<string, ModelRecord>> {
  const ids = await connection.listIds(namespace);
  const records = new Map<string, ModelRecord>();
  for (let first = 0; first < ids.length; first += FETCHED_AT_ONCE) {
    const lot = await connection.fetch(namespace, ids.slice(first, first + FETCHED_AT_ONCE));
    for (const [id, record] of lot) records.set(id, record);
  }
  return records;
}
