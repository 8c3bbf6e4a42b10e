// The order of an answer by a field, an extension of this server.
import {
  type FieldOrder,
  fetchOrdered,
  type OrderedPlace,
  type OrderedRequest,
} from '../../../app/records/order-by-field.ts';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { Type } from '../../schema/type.ts';
import { metadataField } from './metadata-field.ts';
import { refuseUnknown, requiredObject } from './request-fields.ts';

const OF_MATCHES =
  'An extension of this server: orders the matches, which are the same as without it, by the numbers of a metadata field. ' +
  'Equal ones stay in the order of their rank; matches without a number there come last.';
const OF_RECORDS =
  'An extension of this server: by the numbers of a metadata field, equal ones by id. Records without a number there come ' +
  'last, by id. By default records come in the order of their ids.';

/** @param title of the schema in OpenAPI, where each description needs one */
export const orderByBody = (title: string, description: string) =>
  Type.Object(
    {
      field: Type.String({ examples: ['year'] }),
      direction: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'asc' })),
    },
    { additionalProperties: false, title, description, examples: [{ field: 'year', direction: 'desc' }] },
  );

/** Of searches. */
export const MatchOrder = orderByBody('MatchOrder', OF_MATCHES);
/** Of pages by filter. */
export const RecordOrder = orderByBody('RecordOrder', OF_RECORDS);

/**
 * @param name of the key, for messages
 * @param schema null for indexes of vectors
 * @returns null when absent
 * @throws invalid-argument
 */
export function readOrderBy(json: unknown, name: string, schema: DocumentSchema | null): FieldOrder | null {
  if (json === undefined) return null;
  const body = requiredObject(json, name);
  refuseUnknown(body, ['field', 'direction'], name);
  const { direction = 'asc' } = body;
  if (direction !== 'asc' && direction !== 'desc') throw invalid(`${name}.direction must be asc or desc`);
  return { field: metadataField(body.field, `${name}.field`, schema), descending: direction === 'desc' };
}

/** A place as the position of a paging token: a number, or nothing, then a space and the id. */
export function placeText({ number, id }: OrderedPlace): string {
  return `${number ?? ''} ${id}`;
}

/** Null for the first page. */
export function placeIn(position: string | null): OrderedPlace | null {
  if (position === null) return null;
  const [number = ''] = position.split(' ', 1);
  return { number: number === '' ? null : Number(number), id: position.slice(number.length + 1) };
}

export interface FilteredPage {
  readonly items: readonly StoredRecord[];
  /** The id of the last record where there is another page. */
  readonly next: string | null;
  /** Where a page after one of the records continues, for paging tokens. */
  readonly positionOf: (id: string) => string;
}

type PageRequest = Omit<OrderedRequest, 'order' | 'after'> & {
  /** Null for the order of ids. */
  readonly order: FieldOrder | null;
  /** Of the token; null for the first page. */
  readonly position: string | null;
};

/** A page of the records that match, in the order of their ids or of a field. */
export async function filteredPage(
  store: VectorReader,
  { order, position, ...request }: PageRequest,
): Promise<FilteredPage> {
  if (order === null) {
    const page = await store.fetchByFilter({ ...request, after: position });
    return { ...page, positionOf: (id) => id };
  }
  const { items, places, next } = await fetchOrdered(store, { ...request, order, after: placeIn(position) });
  const positions = new Map(places.map((place) => [place.id, placeText(place)]));
  const positionOf = (id: string) => positions.get(id) ?? placeText({ number: null, id });
  return { items, next: next?.id ?? null, positionOf };
}
