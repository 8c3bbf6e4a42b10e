// Text of many documents for one answer: read a few at a time, since documents are large and answers are bounded.
import { Buffer } from 'node:buffer';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { fault } from '../../../domain/faults.ts';
import { RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';

/** Documents that are in memory at a time. */
export const DOCUMENTS_READ_MAX = 100;

/** What to write of an item and its document. */
export type DocumentWriter<Item> = (item: Item, record: StoredRecord) => string;

/**
 * Reads the documents of items by their ids, and joins what `write` makes of each with commas. Items without a document
 * are left out.
 * @throws response-too-big
 */
export async function boundedDocuments<Item extends { readonly id: string }>(
  store: VectorReader,
  namespace: string,
  { items, write }: { readonly items: readonly Item[]; readonly write: DocumentWriter<Item> },
): Promise<{ readonly text: string; readonly count: number }> {
  const texts: string[] = [];
  let bytes = 0;
  for (let first = 0; first < items.length; first += DOCUMENTS_READ_MAX) {
    const batch = items.slice(first, first + DOCUMENTS_READ_MAX);
    const records = await store.fetch(
      namespace,
      batch.map(({ id }) => id),
    );
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const item of batch) {
      const record = byId.get(item.id);
      if (record === undefined) continue;
      const text = write(item, record);
      bytes += Buffer.byteLength(text) + 1;
      if (bytes > RESPONSE_BYTES_MAX) throw fault('response-too-big');
      texts.push(text);
    }
  }
  return { text: texts.join(','), count: texts.length };
}
