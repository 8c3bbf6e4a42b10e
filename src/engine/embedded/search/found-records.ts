// Found records as answers: with their values where the request includes them, within the bytes that it allows.
import { AnswerSize } from '../../port/answer-size.ts';
import type {
  FilteredRequest,
  ListPage,
  Match,
  QueryRequest,
  StoredRecord,
} from '../../port/reader-and-writer.ts';
import type { NamespaceRows } from '../storage/checked-rows.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import type { Hit } from './search-target.ts';

/** Where the records are, whose dense vectors have this dimension; null on sparse indexes. */
export interface FoundIn {
  readonly rows: NamespaceRows | null;
  readonly dimension: number | null;
}

type PageBounds = Pick<FilteredRequest, 'limit' | 'bytesMax'>;

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

/** A page of records as they are found, in their order. */
export class FoundPage {
  readonly #bounds: PageBounds;
  readonly #dimension: number | null;
  readonly #records: LocatedRecord[] = [];
  #bytes = 0;
  #isLast = true;

  /** @param dimension null on sparse indexes */
  constructor({ limit, bytesMax }: PageBounds, dimension: number | null) {
    this.#bounds = { limit, bytesMax };
    this.#dimension = dimension;
  }

  /** @returns false when the record is of the next page: nothing more needs to be read */
  add(record: LocatedRecord): boolean {
    const { limit, bytesMax } = this.#bounds;
    if (this.#records.length === limit || this.#bytes > bytesMax) {
      this.#isLast = false;
      return false;
    }
    this.#records.push(record);
    this.#bytes += bytesOf(record, this.#dimension);
    return true;
  }

  /** The page, read while its records stay. */
  read(rows: NamespaceRows | null): ListPage<StoredRecord> {
    const items = this.#records.map((record) => storedOf(record, rows));
    return { items, next: this.#isLast ? null : (items.at(-1)?.id ?? null) };
  }
}

/** What a record takes in memory with its vectors, about. @param dimension null on sparse indexes */
export function bytesOf({ sparse, metadataJson }: LocatedRecord, dimension: number | null): number {
  const floats = (dimension ?? 0) + 2 * (sparse?.indices.length ?? 0);
  return floats * Float32Array.BYTES_PER_ELEMENT + (metadataJson?.length ?? 0);
}
