// Text of many records for one answer: read a few at a time, since records are large.
import { Buffer } from 'node:buffer';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { DOCUMENT_BYTES_MAX, RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';
import type { AnswerText } from '../../../domain/records/answer-text.ts';

/** Records that are in memory at a time. */
export const RECORDS_READ_MAX = 100;
/** Those that a long answer begins with, whose size nobody knows: 16 MiB of the largest documents. */
export const RECORDS_READ_FIRST = 8;
/** Of the records of a long answer that are in memory at a time, if they are as large as the largest before. */
const READ_BYTES_MAX = RECORDS_READ_FIRST * DOCUMENT_BYTES_MAX;

/** What to write of an item and its record. */
export type RecordWriter<Item> = (item: Item, record: StoredRecord) => string;

interface ItemsToWrite<Item> {
  readonly items: readonly Item[];
  /** What the records have to match when they are read. */
  readonly filter?: Filter | null;
  readonly write: RecordWriter<Item>;
}

/**
 * Reads the records of items by their ids, and joins what `write` makes of each with commas. Items without a record, or
 * with one that the filter excludes, are left out.
 * @throws response-too-big
 */
export async function boundedRecords<Item extends { readonly id: string }>(
  store: VectorReader,
  namespace: string,
  written: ItemsToWrite<Item>,
): Promise<{ readonly text: string; readonly count: number }> {
  const texts: string[] = [];
  let bytes = 0;
  for await (const text of recordTexts(store, namespace, written)) {
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > RESPONSE_BYTES_MAX) throw fault('response-too-big');
    texts.push(text);
  }
  return { text: texts.join(','), count: texts.length };
}

/**
 * As `boundedRecords`, added to an answer that may be long and has a bound of its own.
 * @returns how many records there are
 * @throws fetch-too-big
 */
export async function addRecords<Item extends { readonly id: string }>(
  answer: AnswerText,
  { store, namespace }: { readonly store: VectorReader; readonly namespace: string },
  written: ItemsToWrite<Item>,
): Promise<number> {
  let count = 0;
  for await (const text of recordTexts(store, namespace, written, RECORDS_READ_FIRST)) {
    answer.add(count === 0 ? text : `,${text}`);
    count += 1;
  }
  return count;
}

async function* recordTexts<Item extends { readonly id: string }>(
  store: VectorReader,
  namespace: string,
  { items, filter = null, write }: ItemsToWrite<Item>,
  recordsFirst = RECORDS_READ_MAX,
): AsyncGenerator<string> {
  let largest = 0;
  let count = recordsFirst;
  for (let first = 0; first < items.length; ) {
    const batch = items.slice(first, first + count);
    first += batch.length;
    const records = await store.fetch(
      namespace,
      batch.map(({ id }) => id),
      filter,
    );
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const item of batch) {
      const record = byId.get(item.id);
      if (record === undefined) continue;
      const text = write(item, record);
      largest = Math.max(largest, text.length, bytesRead(record));
      yield text;
    }
    // As long as none was there, nobody knows their size.
    if (largest > 0) count = Math.min(RECORDS_READ_MAX, Math.max(1, Math.floor(READ_BYTES_MAX / largest)));
  }
}

/** What a record takes at least once it is read, however little of it is written. */
function bytesRead({ values, metadataJson }: StoredRecord): number {
  return (metadataJson?.length ?? 0) + (values?.byteLength ?? 0);
}
