// The groups of a search, an extension of this server: the top records of each value of a field.
import type { RequestedGroups } from '../../../app/records/group-matches.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { GROUP_SIZE_DEFAULT, GROUP_SIZE_MAX, TOP_K_MAX } from '../../../domain/limits.ts';
import { Type } from '../../schema/type.ts';
import { metadataField } from './metadata-field.ts';
import { checkInteger, refuseUnknown, requiredObject } from './request-fields.ts';

/** What the keys of an endpoint are called. */
export interface GroupKeys {
  readonly groupBy: string;
  readonly topK: string;
  /** Of a match. */
  readonly group: string;
}

export const GROUP_KEYS: GroupKeys = { groupBy: 'group_by', topK: 'top_k', group: '_group' };

export const groupByBody = ({ topK, group }: GroupKeys) =>
  Type.Object(
    {
      field: Type.String({ description: 'A metadata field.', examples: ['author'] }),
      size: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: GROUP_SIZE_MAX,
          default: GROUP_SIZE_DEFAULT,
          description: 'Matches of each group, at most.',
        }),
      ),
    },
    {
      additionalProperties: false,
      description:
        `An extension of this server: finds the top records of each value of a field. ${topK} counts groups, of which ` +
        'the one with the top record is first; the answer has the records of the first group, then those of the second, ' +
        `and so on, each with its value as ${group}. A record with a list is in the group of each of its strings, ` +
        `one without the field in none. ${topK} times size is at most ${TOP_K_MAX}.`,
      examples: [{ field: 'author', size: 2 }],
    },
  );

interface GroupedSearch {
  /** Null for indexes of vectors. */
  readonly schema: DocumentSchema | null;
  readonly topK: number;
  readonly keys: GroupKeys;
}

/** Null when absent. @throws invalid-argument */
export function readGroupBy(json: unknown, { schema, topK, keys }: GroupedSearch): RequestedGroups | null {
  if (json === undefined) return null;
  const { groupBy } = keys;
  const body = requiredObject(json, groupBy);
  refuseUnknown(body, ['field', 'size'], groupBy);
  const bounds = { min: 1, max: GROUP_SIZE_MAX };
  const size = checkInteger(body.size ?? GROUP_SIZE_DEFAULT, `${groupBy}.size`, bounds);
  if (topK * size > TOP_K_MAX) {
    throw invalid(`${keys.topK} times ${groupBy}.size must be at most ${TOP_K_MAX}, got ${topK * size}`);
  }
  return { field: metadataField(body.field, `${groupBy}.field`, schema), size, groupsMax: topK };
}
