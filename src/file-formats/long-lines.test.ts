// Guarantees of lines as long as the largest documents make them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentSchema, StringField } from '../domain/document-schema.ts';
import {
  DIMENSION_MAX,
  DOCUMENT_BYTES_MAX,
  METADATA_BYTES_MAX,
  SPARSE_ENTRIES_MAX,
  TEXT_VALUE_BYTES_MAX,
} from '../domain/limits.ts';
import type { StorableRecord } from '../domain/records/record.ts';
import { bytesInMemory } from './file-bytes.ts';
import { JsonlRecordWriter } from './jsonl/write-file.ts';
import { FILE_START, readRecords } from './read-records.ts';

const TEXT: StringField = {
  kind: 'string',
  description: null,
  storeText: true,
  fullText: { language: 'en', stemming: false, stopWords: false, ngram: null },
  embed: null,
  sparseEmbed: null,
};
const TEXT_FIELDS = 20;
const NAMES = Array.from({ length: TEXT_FIELDS }, (_, at) => `text${at}`);
const SCHEMA: DocumentSchema = {
  fields: {
    dense: { kind: 'dense', dimension: DIMENSION_MAX, metric: 'cosine', description: null },
    sparse: { kind: 'sparse', description: null },
    ...Object.fromEntries(NAMES.map((name) => [name, TEXT])),
  },
};
const SHAPE = {
  vectorType: 'dense',
  metric: 'cosine',
  dimension: DIMENSION_MAX,
  documents: SCHEMA,
} as const;
/** With nearly as many characters as floats have. */
const LONG_FLOAT = Math.fround(-1.1754944e-12);
const ID = 'i'.repeat(512);
const VECTOR_BYTES = 4 * DIMENSION_MAX + 8 * SPARSE_ENTRIES_MAX;

/** A document of so many bytes beyond the limit, or fewer. */
function documentOf(more: number): StorableRecord {
  const metadata: Record<string, string> = { other: 'm'.repeat(METADATA_BYTES_MAX - 100) };
  const size = () => ID.length + VECTOR_BYTES + JSON.stringify(metadata).length;
  for (const name of NAMES) {
    metadata[name] = '';
    const left = DOCUMENT_BYTES_MAX + more - size();
    metadata[name] = 'x'.repeat(Math.max(0, Math.min(TEXT_VALUE_BYTES_MAX, left)));
  }
  assert.equal(size(), DOCUMENT_BYTES_MAX + more);
  return {
    id: ID,
    values: new Float32Array(DIMENSION_MAX).fill(LONG_FLOAT).fill(1, 0, 1),
    sparse: {
      indices: Uint32Array.from({ length: SPARSE_ENTRIES_MAX }, (_, at) => 4_294_965_000 + at),
      values: new Float32Array(SPARSE_ENTRIES_MAX).fill(LONG_FLOAT),
    },
    metadataJson: JSON.stringify(metadata),
  };
}

async function read(record: StorableRecord) {
  const pieces: Uint8Array[] = [];
  const writer = new JsonlRecordWriter(async (bytes) => void pieces.push(bytes), SCHEMA);
  await writer.add(record);
  await writer.finish();
  const file = bytesInMemory(Buffer.concat(pieces));
  const batches = await Array.fromAsync(readRecords(file, 'jsonl', { place: FILE_START, shape: SHAPE }));
  return {
    bytes: file.size,
    records: batches.flatMap(({ records }) => records),
    refused: batches.flatMap(({ refused }) => refused.map(({ reason }) => reason)),
  };
}

describe('the line of an export', () => {
  it('is read for the largest document that can be stored, whose vectors are longer as text', async () => {
    const document = documentOf(0);
    const { bytes, records, refused } = await read(document);
    assert.deepEqual(refused, []);
    assert.ok(bytes > DOCUMENT_BYTES_MAX + 200_000, `${bytes} bytes`);
    const [found] = records;
    assert.deepEqual([found?.values, found?.sparse], [document.values, document.sparse]);
    assert.deepEqual(JSON.parse(found?.metadataJson ?? ''), JSON.parse(document.metadataJson ?? ''));
  });

  it('is refused by the size of its document where that is one byte too large', async () => {
    const { records, refused } = await read(documentOf(1));
    assert.equal(records.length, 0);
    assert.match(refused[0] ?? '', /2097153/);
  });
});
