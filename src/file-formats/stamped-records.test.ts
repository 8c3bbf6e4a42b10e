// Records that were as large as they may be before the server added the moment at which they expire come back.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentSchema } from '../domain/document-schema.ts';
import { stampedText, type TimeToLive } from '../domain/expiry/time-to-live.ts';
import { METADATA_BYTES_MAX } from '../domain/limits.ts';
import type { StorableRecord } from '../domain/records/record.ts';
import { readRecord } from '../domain/records/vector-record.ts';
import { bytesInMemory } from './file-bytes.ts';
import { JsonlRecordWriter } from './jsonl/write-file.ts';
import { ParquetRecordWriter } from './parquet/write-file.ts';
import { FILE_START, type RecordShape, readRecords } from './read-records.ts';

const VECTORS = { vectorType: 'dense', metric: 'cosine', dimension: 2 } as const;
const SCHEMA: DocumentSchema = {
  fields: { values: { kind: 'dense', dimension: 2, metric: 'cosine', description: null } },
};
const MOMENT = 1_800_000_000;
const TTL: TimeToLive = { field: 'expires_at', seconds: 60, namespaces: {} };

/** With so many more bytes than it may have, before the moment is added. */
function recordOf(more: number, moment = MOMENT): StorableRecord {
  const rest = { a: '', n: 1 };
  const a = 'x'.repeat(METADATA_BYTES_MAX + more - JSON.stringify(rest).length);
  const metadataJson = stampedText(JSON.stringify({ ...rest, a }), TTL.field, moment);
  return { id: 'r', values: Float32Array.of(1, 2), sparse: null, metadataJson };
}

async function fileOf(
  format: 'parquet' | 'jsonl',
  record: StorableRecord,
  documents: DocumentSchema | null,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const write = async (bytes: Uint8Array) => void parts.push(Uint8Array.from(bytes));
  const writer =
    format === 'parquet'
      ? new ParquetRecordWriter(write, { documents })
      : new JsonlRecordWriter(write, documents);
  await writer.add(record);
  await writer.finish();
  return Buffer.concat(parts);
}

const INDEXES: readonly (readonly [string, Pick<RecordShape, 'timeToLive'>])[] = [
  ['with the same time to live', { timeToLive: TTL }],
  ['without a time to live', {}],
];

describe('a record with a moment that the server has added', () => {
  for (const [name, expiry] of INDEXES) {
    for (const documents of [null, SCHEMA]) {
      const kind = documents === null ? 'vectors' : 'documents';
      it(`is imported from files of exports into an index of ${kind} ${name}, and no larger one is`, async () => {
        const shape: RecordShape = { ...VECTORS, ...expiry, documents };
        for (const format of ['parquet', 'jsonl'] as const) {
          const read = async (record: StorableRecord) => {
            const bytes = bytesInMemory(await fileOf(format, record, documents));
            const [batch] = await Array.fromAsync(readRecords(bytes, format, { place: FILE_START, shape }));
            return batch;
          };
          const batch = await read(recordOf(0));
          assert.deepEqual(batch?.refused, []);
          assert.deepEqual(
            batch.records.map(({ metadataJson }) => JSON.parse(metadataJson ?? '')),
            [JSON.parse(recordOf(0).metadataJson ?? '')],
          );
          assert.match((await read(recordOf(1)))?.refused[0]?.reason ?? '', /40961 bytes/);
          if (expiry.timeToLive !== undefined) continue;
          for (const noMoment of [7, MOMENT + 0.5, 1_000 * MOMENT])
            assert.equal((await read(recordOf(0, noMoment)))?.refused.length, 1);
        }
      });
    }
  }

  it('is upserted as it was fetched into an index with the same time to live alone, and no larger one is', () => {
    const upsert = (record: StorableRecord, expiry: Pick<RecordShape, 'timeToLive'>) => {
      const { id, values, metadataJson } = record;
      const metadata = JSON.parse(metadataJson ?? '');
      return readRecord({ id, values: [...(values ?? [])], metadata }, { ...VECTORS, ...expiry });
    };
    assert.equal(upsert(recordOf(0), { timeToLive: TTL }).metadataJson, recordOf(0).metadataJson);
    assert.throws(() => upsert(recordOf(1), { timeToLive: TTL }), { condition: 'metadata-too-big' });
    assert.throws(() => upsert(recordOf(0), {}), { condition: 'metadata-too-big' });
  });
});
