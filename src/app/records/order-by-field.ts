// Orders records by the numbers of a metadata field: those without one come after all others, in either direction.
import type { Filter } from '../../domain/filter/grammar.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { Match, StoredRecord, VectorReader } from './record-access.ts';

export interface FieldOrder {
  readonly field: string;
  readonly descending: boolean;
}

/** Records in memory at a time, which may be large. */
const RECORDS_READ_MAX = 100;
const FLOAT_BYTES = 4;

/** A record's place in the order. */
export interface OrderedPlace {
  /** Null where it has no number in the field. */
  readonly number: number | null;
  readonly id: string;
}

/** The place of a record whose field can be filtered. @param metadataJson of the record */
export function placeOf(
  { field }: FieldOrder,
  { id, metadataJson }: Pick<StoredRecord, 'id' | 'metadataJson'>,
) {
  return { id, number: numberIn(field, metadataJson) };
}

function numberIn(field: string, metadataJson: string | null): number | null {
  const metadata = parseMetadata(metadataJson);
  const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  return typeof value === 'number' ? value : null;
}

/** Matches in the order; those with equal numbers, and those without one, as they are. Reads what was not read of them. */
export async function orderMatches<Ranked extends Pick<Match, 'id' | 'metadataJson'>>(
  store: Pick<VectorReader, 'fetch'>,
  namespace: string,
  { matches, order }: { readonly matches: readonly Ranked[]; readonly order: FieldOrder },
): Promise<readonly Ranked[]> {
  const numbers = new Map<string, number>();
  const note = (id: string, metadataJson: string | null) => {
    const number = numberIn(order.field, metadataJson);
    if (number !== null) numbers.set(id, number);
  };
  const unread: string[] = [];
  for (const { id, metadataJson } of matches) {
    if (metadataJson === undefined) unread.push(id);
    else note(id, metadataJson);
  }
  for (let first = 0; first < unread.length; first += RECORDS_READ_MAX) {
    const records = await store.fetch(namespace, unread.slice(first, first + RECORDS_READ_MAX));
    for (const { id, metadataJson } of records) note(id, metadataJson);
  }
  const sign = order.descending ? -1 : 1;
  // Sorting is stable: ties stay in the order of rank.
  return matches.toSorted((one, other) => {
    const [first, second] = [numbers.get(one.id), numbers.get(other.id)];
    if (first === undefined || second === undefined)
      return Number(first === undefined) - Number(second === undefined);
    return sign * (first - second);
  });
}

export interface OrderedRequest {
  readonly namespace: string;
  readonly filter: Filter;
  readonly order: FieldOrder;
  readonly limit: number;
  /** The place that the page starts after (exclusive); null for the first page. */
  readonly after: OrderedPlace | null;
  readonly bytesMax: number;
}

export interface OrderedPage {
  readonly items: readonly StoredRecord[];
  /**
   * Of each item, in their order. An item may be among those without a number although its metadata has one: an engine
   * knows only the numbers of fields that can be filtered.
   */
  readonly places: readonly OrderedPlace[];
  /** Null on the last page. */
  readonly next: OrderedPlace | null;
}

/** A page of the records that match: by their numbers, then by bytewise ids; last, by ids, those without a number. */
export async function fetchOrdered(store: VectorReader, request: OrderedRequest): Promise<OrderedPage> {
  const { after, order } = request;
  if (after !== null && after.number === null) return withoutNumbers(store, request, after.id);
  const { namespace, filter, limit, bytesMax } = request;
  const numbered = await store.fetchByFilter({
    ...{ namespace, filter, limit, bytesMax },
    after: after?.id ?? null,
    order: { ...order, afterNumber: after?.number ?? null },
  });
  const places = numbered.items.map((record) => placeOf(order, record));
  const end = places.at(-1) ?? after;
  if (numbered.next !== null) return { items: numbered.items, places, next: end };
  const bytesLeft = bytesMax - bytesOf(numbered.items);
  const limitLeft = limit - numbered.items.length;
  // Where the page is full, one record more tells whether there is another page.
  const isFull = limitLeft === 0 || bytesLeft <= 0;
  const rest = await withoutNumbers(
    store,
    { ...request, limit: isFull ? 1 : limitLeft, bytesMax: Math.max(1, bytesLeft) },
    null,
  );
  if (isFull) return { items: numbered.items, places, next: rest.items.length === 0 ? null : end };
  return {
    items: [...numbered.items, ...rest.items],
    places: [...places, ...rest.places],
    next: rest.next,
  };
}

async function withoutNumbers(
  store: VectorReader,
  { namespace, filter, order, limit, bytesMax }: OrderedRequest,
  after: string | null,
): Promise<OrderedPage> {
  const all: Filter = { kind: 'all', parts: [filter, { kind: 'not', part: anyNumber(order.field) }] };
  const { items, next } = await store.fetchByFilter({ namespace, filter: all, limit, after, bytesMax });
  const placeAt = (id: string): OrderedPlace => ({ number: null, id });
  return { items, places: items.map(({ id }) => placeAt(id)), next: next === null ? null : placeAt(next) };
}

function anyNumber(field: string): Filter {
  return { kind: 'field', field, test: { op: 'compare', relation: 'gte', bound: -Number.MAX_VALUE } };
}

/** As an engine counts them, roughly. */
function bytesOf(records: readonly StoredRecord[]): number {
  return records.reduce((sum, { values, sparse, metadataJson }) => {
    const floats = (values?.length ?? 0) + 2 * (sparse?.indices.length ?? 0);
    return sum + floats * FLOAT_BYTES + (metadataJson?.length ?? 0);
  }, 0);
}
