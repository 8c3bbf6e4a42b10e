// The check that every engine makes before it accepts a batch of packed records.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { EngineCapabilities } from './capabilities.ts';
import { type PackedRecords, packedBytes } from './packed-records.ts';

/** Checks a batch. @throws RangeError when it is too large, or when its dimension is not the index's */
export function assertWritable(
  records: PackedRecords,
  { dimension }: Pick<IndexProfile, 'dimension'>,
  { writeRecordsMax, writeBytesMax }: EngineCapabilities,
): void {
  const bytes = packedBytes(records);
  if (records.count > writeRecordsMax || bytes > writeBytesMax)
    throw new RangeError(
      `expected at most ${writeRecordsMax} records and ${writeBytesMax} bytes in a batch, got ${records.count} and ${bytes}`,
    );
  const expected = dimension === null ? 0 : records.count * dimension;
  const actual = records.values?.length ?? 0;
  if (actual !== expected) throw new RangeError(`expected ${expected} values, got ${actual}`);
}
