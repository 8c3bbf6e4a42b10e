// Records as arbitrary values, and files of them in memory.
import fc from 'fast-check';
import type { RecordFormat } from '../../domain/imports/record-format.ts';
import { recordOfLine } from '../../domain/imports/row-record.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import type { VectorShape } from '../../domain/records/vector-record.ts';
import { bytesInMemory, type FileBytes } from '../file-bytes.ts';
import { JsonlRecordWriter } from '../jsonl/write-file.ts';
import { ParquetRecordWriter } from '../parquet/write-file.ts';
import { FILE_START, type RecordBatch, readRecords } from '../read-records.ts';

export const SHAPES = {
  dense: { vectorType: 'dense', metric: 'cosine', dimension: 5 },
  hybrid: { vectorType: 'dense', metric: 'dotproduct', dimension: 3 },
  sparse: { vectorType: 'sparse', metric: 'dotproduct', dimension: null },
} as const satisfies Record<string, VectorShape>;

const float = fc.float({ noNaN: true, noDefaultInfinity: true });
const metadataValue = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 3 }),
);
const metadata = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 8 }).filter((key) => !key.startsWith('$')),
  metadataValue,
  { maxKeys: 4 },
);

/** Records as an upsert would store them. */
export function recordsOf(shape: VectorShape): fc.Arbitrary<readonly StorableRecord[]> {
  const { dimension } = shape;
  const sparse = fc.uniqueArray(fc.tuple(fc.nat({ max: 4_294_967_295 }), float), {
    selector: ([index]) => index,
    minLength: 1,
    maxLength: 6,
  });
  const sparseValues = sparse.map((entries) => ({
    indices: entries.map(([index]) => index),
    values: entries.map(([, value]) => value),
  }));
  const item = fc.record(
    {
      id: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' }),
      metadata,
      ...(dimension === null
        ? {}
        : { values: fc.array(float, { minLength: dimension, maxLength: dimension }).map(notZero) }),
      sparse_values: sparseValues,
    },
    { requiredKeys: ['id', ...(dimension === null ? ['sparse_values'] : ['values'])] as never },
  );
  return fc.array(
    item.map((each) => recordOfLine(JSON.stringify(each), shape, null)),
    { maxLength: 40 },
  );
}

function notZero(values: readonly number[]): readonly number[] {
  return values.some((value) => Math.abs(value) >= 1e-8) ? values : [1, ...values.slice(1)];
}

/** The bytes of a file of these records. */
export async function fileOf(format: RecordFormat, records: Iterable<StorableRecord>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const write = async (bytes: Uint8Array) => void parts.push(Uint8Array.from(bytes));
  const writer = format === 'parquet' ? new ParquetRecordWriter(write) : new JsonlRecordWriter(write);
  for (const record of records) await writer.add(record);
  await writer.finish();
  return Buffer.concat(parts);
}

export async function readAll(
  file: FileBytes | Uint8Array,
  format: RecordFormat,
  shape: VectorShape,
  place = FILE_START,
): Promise<readonly RecordBatch[]> {
  const bytes = file instanceof Uint8Array ? bytesInMemory(file) : file;
  return Array.fromAsync(readRecords(bytes, format, { place, shape }));
}
