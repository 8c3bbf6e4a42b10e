// A range of ids, by which several readers share the records of a namespace.
import { invalid } from '../../../domain/faults.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import { refuseUnknown, requiredObject } from '../records/request-fields.ts';

/** Ids in bytewise order, after `after` and up to `until`; null for no bound. */
export interface IdRange {
  readonly after: string | null;
  readonly until: string | null;
}

const EVERY_ID: IdRange = { after: null, until: null };

export const IdRangeBody = Type.Object(
  {
    after: Type.Optional(Type.String({ description: 'Ids after this one.', examples: ['movie-1000'] })),
    until: Type.Optional(
      Type.String({ description: 'Ids up to this one, which is included.', examples: ['movie-2000'] }),
    ),
  },
  {
    additionalProperties: false,
    title: 'IdRange',
    description: 'Only records in a range of ids, in bytewise order; without prefix, order_by and facets.',
    examples: [{ after: 'movie-1000', until: 'movie-2000' }],
  },
);

/** No bounds when absent. @throws invalid-argument */
export function readIdRange(json: unknown): IdRange {
  if (json === undefined) return EVERY_ID;
  const body = requiredObject(json, 'ids');
  refuseUnknown(body, ['after', 'until'], 'ids');
  const after = body.after === undefined ? null : checkRecordId(body.after);
  const until = body.until === undefined ? null : checkRecordId(body.until);
  if (after !== null && until !== null && after >= until)
    throw invalid('ids.until must come after ids.after in bytewise order');
  return { after, until };
}

/** A page of records in id order, cut at the end of the range. Ids are ASCII, so comparing texts compares bytes. */
export function cutToRange<Item extends { readonly id: string }>(
  { items, next }: { readonly items: readonly Item[]; readonly next: string | null },
  { until }: IdRange,
): { readonly items: readonly Item[]; readonly next: string | null } {
  if (until === null) return { items, next };
  const within = items.filter(({ id }) => id <= until);
  return { items: within, next: next === null || next >= until ? null : next };
}
