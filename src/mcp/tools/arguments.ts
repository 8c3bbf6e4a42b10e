// The arguments that several tools share.
import { Type } from '../../api/schema/type.ts';
import type { JsonObject } from '../../domain/json.ts';
import { LISTED_MAX } from '../limits.ts';

export const IndexName = Type.String({
  minLength: 1,
  description: 'Name of the index, as list_indexes shows it.',
});

export const Namespace = Type.Optional(
  Type.String({
    description:
      'Name of the namespace, as list_namespaces shows it. Each is searched separately. Default: the namespace __default__.',
  }),
);

/** What a filter looks like, for descriptions. */
export const FILTER_GUIDE =
  'Filter on metadata fields, for example {"year": {"$gte": 2020}, "genre": {"$in": ["drama", "comedy"]}}. ' +
  'Operators: $eq, $ne, $gt, $gte, $lt, $lte (numbers), $in, $nin, $exists, and $and / $or with a list of filters. ' +
  'describe_index names the fields.';

/** An object with members of any names. */
export const AnyObject = (description: string) =>
  Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description });

export const Filter = Type.Optional(AnyObject(FILTER_GUIDE));

export const PageToken = Type.Optional(
  Type.String({
    description: 'next_page of the page before, to continue there. Leave out for the first page.',
  }),
);

export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: LISTED_MAX, description: `Items per page; default ${LISTED_MAX}.` }),
);

export const AssistantName = Type.String({
  minLength: 1,
  description: 'Name of the assistant, as list_assistants shows it.',
});
