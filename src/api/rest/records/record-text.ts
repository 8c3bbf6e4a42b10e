// JSON text of records and matches, written directly: metadata is embedded unparsed, floats in short form.
import { Buffer } from 'node:buffer';
import type { RankedMatch } from '../../../app/records/group-matches.ts';
import { fetchUnits } from '../../../app/records/read-units.ts';
import type { Match, SparseVector, StoredRecord } from '../../../app/records/record-access.ts';
import { fault } from '../../../domain/faults.ts';
import { RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';
import { float32ArrayText, scoreText } from '../../../domain/records/float32-text.ts';
import { fitRecords, type RecordsAnswer } from './records-answer.ts';

/** Writes a whole answer. @throws response-too-big */
export function recordsText(answer: RecordsAnswer): string {
  const namespace = JSON.stringify(answer.namespace);
  if ('matches' in answer) {
    const matches = joinBounded(answer.matches, matchText);
    const facets = answer.facets === null ? '' : `,"facets":${JSON.stringify(answer.facets)}`;
    const usage = `{"readUnits":${answer.readUnits}}`;
    return `{"results":[],"matches":[${matches}],"namespace":${namespace},"usage":${usage}${facets}}`;
  }
  const { pieces, next } = fitRecords(answer, RECORD_ENTRY);
  const usage = `{"readUnits":${fetchUnits(pieces.length)}}`;
  const pagination = next === null ? '' : `,"pagination":{"next":"${next}"}`;
  return `{"vectors":{${pieces.join(',')}},"namespace":${namespace},"usage":${usage}${pagination}}`;
}

const RECORD_ENTRY = {
  write: recordEntry,
  sizeOf: (entry: string): number => Buffer.byteLength(entry) + 1,
};

/** A record as fetch returns it: always with values; metadata is null when absent. */
function recordText(record: StoredRecord): string {
  return `{"id":${JSON.stringify(record.id)},${vectorsText(record)},"metadata":${record.metadataJson ?? 'null'}}`;
}

/** A match as query returns it: values are empty unless requested, metadata is left out when absent. */
function matchText(match: RankedMatch): string {
  const group = match.group === undefined ? '' : `,"group":${JSON.stringify(match.group)}`;
  const metadata = match.metadataJson ? `,"metadata":${match.metadataJson}` : '';
  return `{"id":${JSON.stringify(match.id)},"score":${scoreText(match.score)},${vectorsText(match)}${metadata}${group}}`;
}

/** An `"id":{...}` entry of a fetch answer. */
function recordEntry(record: StoredRecord): string {
  return `${JSON.stringify(record.id)}:${recordText(record)}`;
}

/**
 * Joins the texts of items. Stops writing once the answer exceeds its size limit.
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

/** The members of a record's vectors. */
export function vectorsText(record: Pick<Match, 'values' | 'sparse'>): string {
  const values = record.values ? float32ArrayText(record.values) : '[]';
  return record.sparse
    ? `"values":${values},"sparseValues":${sparseText(record.sparse)}`
    : `"values":${values}`;
}

function sparseText(sparse: SparseVector): string {
  return `{"indices":[${sparse.indices.join(',')}],"values":${float32ArrayText(sparse.values)}}`;
}
