// Text of many records for one answer: read a few at a time, since records are large.
import { Buffer } from 'node:buffer';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { FETCH_BYTES_MAX, RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';
import type { AnswerText } from '../../../domain/records/answer-text.ts';

/** Records that are in memory at a time. */
export const RECORDS_READ_MAX = 100;

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
 * As `boundedRecords`, added to an answer that may be long.
 * @param bytesMax of the answer, about
 * @returns how many records there are
 * @throws fetch-too-big
 */
export async function addRecords<Item extends { readonly id: string }>(
  answer: AnswerText,
  { store, namespace, bytesMax = FETCH_BYTES_MAX }: FetchBounds,
  written: ItemsToWrite<Item>,
): Promise<number> {
  let count = 0;
  for await (const text of recordTexts(store, namespace, written)) {
    answer.add(count === 0 ? text : `,${text}`);
    if (answer.bytesMin > bytesMax) throw fault('fetch-too-big');
    count += 1;
  }
  return count;
}

interface FetchBounds {
  readonly store: VectorReader;
  readonly namespace: string;
  readonly bytesMax?: number;
}

async function* recordTexts<Item extends { readonly id: string }>(
  store: VectorReader,
  namespace: string,
  { items, filter = null, write }: ItemsToWrite<Item>,
): AsyncGenerator<string> {
  for (let first = 0; first < items.length; first += RECORDS_READ_MAX) {
    const batch = items.slice(first, first + RECORDS_READ_MAX);
    const records = await store.fetch(
      namespace,
      batch.map(({ id }) => id),
      filter,
    );
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const item of batch) {
      const record = byId.get(item.id);
      if (record !== undefined) yield write(item, record);
    }
  }
}
