// Hits as answers: with their values where the request includes them, within the bytes that it allows.
import { AnswerSize } from '../../port/answer-size.ts';
import type { Match, QueryRequest } from '../../port/reader-and-writer.ts';
import type { NamespaceRows } from '../storage/checked-rows.ts';
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
