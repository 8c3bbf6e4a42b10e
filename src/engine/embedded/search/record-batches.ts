// Batches of the records that match a test, in one pass over all records.
import type { LocatedRecord } from '../storage/record-table.ts';

/** Records scored together, so that neighboring rows are read by one call. */
const BATCH_RECORDS = 64;
/** Metadata of a batch, in UTF-16 code units, that ends it early. */
const BATCH_CHARS = 2 ** 20;
/** Records looked at between two yields. */
export const RECORDS_A_LOOK = 64;

/** Batches in the order of the records, and null now and then between them, for others to run. */
export function* batchesOf(
  records: Iterable<LocatedRecord | null>,
  test: (metadataJson: string | null) => boolean,
): Generator<LocatedRecord[] | null> {
  let batch: LocatedRecord[] = [];
  let chars = 0;
  let looked = 0;
  for (const record of records) {
    if (++looked % RECORDS_A_LOOK === 0) yield null;
    if (record === null || !test(record.metadataJson)) continue;
    batch.push(record);
    chars += record.metadataJson?.length ?? 0;
    if (batch.length < BATCH_RECORDS && chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
