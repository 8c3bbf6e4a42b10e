// JSON text of records and matches, written directly: metadata is embedded unparsed, floats in short form.
import { Buffer } from 'node:buffer';
import type { RankedMatch } from '../../../app/records/group-matches.ts';
import { fetchUnits } from '../../../app/records/read-units.ts';
import type { Match, SparseVector, StoredRecord } from '../../../app/records/record-access.ts';
import { fault } from '../../../domain/faults.ts';
import { RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';
import { AnswerText } from '../../../domain/records/answer-text.ts';
import { float32ArrayText, scoreText } from '../../../domain/records/float32-text.ts';
import { type FetchedAnswer, fitRecords, type RecordsAnswer } from './records-answer.ts';

/**
 * Writes a whole answer.
 * @param more members after all others, as `,"name":value`
 * @throws response-too-big
 */
export function recordsText(answer: RecordsAnswer, more = ''): string | Uint8Array<ArrayBuffer> {
  const text = new AnswerText();
  const namespace = JSON.stringify(answer.namespace);
  if ('matches' in answer) {
    text.add('{"results":[],"matches":[');
    addMatches(text, answer.matches);
    const facets = answer.facets === null ? '' : `,"facets":${JSON.stringify(answer.facets)}`;
    const usage = `{"readUnits":${answer.readUnits}}`;
    text.add(`],"namespace":${namespace},"usage":${usage}${facets}${more}}`);
    return text.finish();
  }
  text.add('{"vectors":{');
  const { count, next } = addRecords(text, answer);
  const usage = `{"readUnits":${fetchUnits(count)}}`;
  const pagination = next === null ? '' : `,"pagination":{"next":"${next}"}`;
  const ids = answer.fetched.slice(0, count).map(({ id }) => id);
  const ordered = answer.page?.listsIds === true ? `,"orderedIds":${JSON.stringify(ids)}` : '';
  text.add(`},"namespace":${namespace},"usage":${usage}${pagination}${ordered}${more}}`);
  return text.finish();
}

/** Writes matches. Stops once they exceed the size limit. @throws response-too-big */
function addMatches(text: AnswerText, matches: readonly RankedMatch[]): void {
  const bytesMax = text.bytes + RESPONSE_BYTES_MAX;
  matches.forEach((match, i) => {
    addMatch(text, match, i === 0 ? '' : ',');
    if (text.bytesMin > bytesMax) throw fault('response-too-big');
  });
  if (text.bytes > bytesMax) throw fault('response-too-big');
}

/** A match as query returns it: values are empty unless requested, metadata is left out when absent. */
function addMatch(text: AnswerText, match: RankedMatch, comma: string): void {
  text.add(`${comma}{"id":${JSON.stringify(match.id)},"score":${scoreText(match.score)},`);
  addVectors(text, match);
  const group = match.group === undefined ? '' : `,"group":${JSON.stringify(match.group)}`;
  const metadata = match.metadataJson ? `,"metadata":${match.metadataJson}` : '';
  text.add(`${metadata}${group}}`);
}

/** Writes the entries of a fetch answer. @returns how many, and the token of the next page, or null */
function addRecords(
  text: AnswerText,
  answer: FetchedAnswer,
): { readonly count: number; next: string | null } {
  const start = text.bytes;
  const { pieces, next } = fitRecords(answer, {
    write: (record) => {
      const from = text.bytes;
      addRecord(text, record, from === start ? '' : ',');
      return { bytes: text.bytes - from, end: text.bytes };
    },
    sizeOf: ({ bytes }) => bytes,
  });
  // The record that no longer fits on a page was written to be measured.
  text.cut(pieces.at(-1)?.end ?? start);
  return { count: pieces.length, next };
}

/** An `"id":{...}` entry: always with values; metadata is null when absent. */
function addRecord(text: AnswerText, record: StoredRecord, comma: string): void {
  const id = JSON.stringify(record.id);
  text.add(`${comma}${id}:{"id":${id},`);
  addVectors(text, record);
  text.add(`,"metadata":${record.metadataJson ?? 'null'}}`);
}

/** The members of a record's vectors. */
function addVectors(text: AnswerText, { values, sparse }: Pick<Match, 'values' | 'sparse'>): void {
  text.add('"values":');
  if (values) text.addFloats(values);
  else text.add('[]');
  if (sparse) text.add(`,"sparseValues":${sparseText(sparse)}`);
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

/** As `addVectors`, as a text of its own. */
export function vectorsText(record: Pick<Match, 'values' | 'sparse'>): string {
  const values = record.values ? float32ArrayText(record.values) : '[]';
  return record.sparse
    ? `"values":${values},"sparseValues":${sparseText(record.sparse)}`
    : `"values":${values}`;
}

function sparseText(sparse: SparseVector): string {
  return `{"indices":[${sparse.indices.join(',')}],"values":${float32ArrayText(sparse.values)}}`;
}
