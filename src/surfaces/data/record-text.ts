// JSON text of records and matches, written directly: metadata is embedded unparsed, floats in short form.
import { Buffer } from 'node:buffer';
import { fault } from '../../domain/faults.ts';
import { RESPONSE_BYTES_MAX } from '../../domain/limits.ts';
import { float32ArrayText, scoreText } from '../../domain/records/float32-text.ts';
import type { Match, SparseVector, StoredRecord } from '../../vectors/port.ts';

/** A record as fetch answers it: values always, metadata null when absent. */
export function recordText(record: StoredRecord): string {
  return `{"id":${JSON.stringify(record.id)},${vectorsText(record)},"metadata":${record.metadataJson ?? 'null'}}`;
}

/** A match as query answers it: values empty unless asked for, metadata only where there is some. */
export function matchText(match: Match): string {
  const metadata = match.metadataJson ? `,"metadata":${match.metadataJson}` : '';
  return `{"id":${JSON.stringify(match.id)},"score":${scoreText(match.score)},${vectorsText(match)}${metadata}}`;
}

/** `"id":{...}` entries of a fetch answer. */
export function recordEntry(record: StoredRecord): string {
  return `${JSON.stringify(record.id)}:${recordText(record)}`;
}

/**
 * Joins the texts of items, writing each one only while the answer is within its size limit.
 * @throws response-too-big
 */
export function joinBounded<Item>(items: readonly Item[], write: (item: Item) => string): string {
  let text = '';
  for (const item of items) {
    text += text === '' ? write(item) : `,${write(item)}`;
    if (text.length > RESPONSE_BYTES_MAX) throw fault('response-too-big');
  }
  if (Buffer.byteLength(text) > RESPONSE_BYTES_MAX) throw fault('response-too-big');
  return text;
}

function vectorsText(record: Pick<Match, 'values' | 'sparse'>): string {
  const values = record.values ? float32ArrayText(record.values) : '[]';
  return record.sparse
    ? `"values":${values},"sparseValues":${sparseText(record.sparse)}`
    : `"values":${values}`;
}

function sparseText(sparse: SparseVector): string {
  return `{"indices":[${sparse.indices.join(',')}],"values":${float32ArrayText(sparse.values)}}`;
}
