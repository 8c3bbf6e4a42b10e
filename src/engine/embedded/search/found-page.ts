// A page of records as they are found: it ends by its limit or by its bytes, and nothing is read for it beyond that.
import type { FilteredRequest, ListPage, StoredRecord } from '../../port/reader-and-writer.ts';
import type { NamespaceRows } from '../storage/checked-rows.ts';
import type { LocatedRecord } from '../storage/record-table.ts';

type PageBounds = Pick<FilteredRequest, 'limit' | 'bytesMax'>;

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
