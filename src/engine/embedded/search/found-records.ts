// Found records as answers: with their values where the request includes them, within the bytes that it allows.
import { AnswerSize } from '../../port/answer-size.ts';
import type { ListPage, Match, QueryRequest, StoredRecord } from '../../port/reader-and-writer.ts';
import type { NamespaceRows } from '../storage/checked-rows.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import type { Hit } from './search-target.ts';

/** Where the records are, whose dense vectors have this dimension; null on sparse indexes. */
export interface FoundIn {
  readonly rows: NamespaceRows | null;
  readonly dimension: number | null;
}

/** @throws response-too-big */
export function matchesOf(
  hits: readonly Hit[],
  request: QueryRequest,
  { rows, dimension }: FoundIn,
): readonly Match[] {
  const size = new AnswerSize(request, dimension);
  size.check(hits.length);
  return hits.map((hit) => matchOf(hit, { request, rows, size }));
}

function matchOf(
  { record, row, score }: Hit,
  {
    request: { includeValues, includeMetadata },
    rows,
    size,
  }: { readonly request: QueryRequest; readonly rows: NamespaceRows | null; readonly size: AnswerSize },
): Match {
  size.add(record.id, includeMetadata ? record.metadataJson : null);
  const match: { -readonly [Field in keyof Match]: Match[Field] } = { id: record.id, score };
  if (includeValues) {
    match.values = rows?.readRow(row) ?? null;
    if (match.values !== null) size.addValues(match.values);
    match.sparse = record.sparse;
  }
  if (includeMetadata) match.metadataJson = record.metadataJson;
  return match;
}

export function storedOf(
  { id, row, sparse, metadataJson }: LocatedRecord,
  rows: NamespaceRows | null,
): StoredRecord {
  return { id, values: rows?.readRow(row) ?? null, sparse, metadataJson };
}

/** @param found one more than `limit` where there is another page */
export function pageOfFound(
  found: readonly LocatedRecord[],
  bounds: { readonly limit: number; readonly bytesMax: number },
  { rows, dimension }: FoundIn,
): ListPage<StoredRecord> {
  const items: StoredRecord[] = [];
  const vectorBytes = (dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  let bytes = 0;
  for (const record of found) {
    bytes += vectorBytes + (record.sparse?.indices.length ?? 0) * 8 + (record.metadataJson?.length ?? 0);
    const isFull = items.length === bounds.limit || (items.length > 0 && bytes > bounds.bytesMax);
    if (isFull) return { items, next: items.at(-1)?.id ?? null };
    items.push(storedOf(record, rows));
  }
  return { items, next: null };
}
