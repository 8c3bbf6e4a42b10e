// The groups of a document search, an extension of this server: the top documents of each value of a field.
import type { RequestedGroups } from '../../../app/records/group-matches.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { GROUP_SIZE_DEFAULT, GROUP_SIZE_MAX, TOP_K_MAX } from '../../../domain/limits.ts';
import { Type } from '../../schema/type.ts';
import { checkInteger, refuseUnknown, requiredObject } from '../records/request-fields.ts';
import { metadataField } from './metadata-field.ts';

export const GroupByBody = Type.Object(
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
      'An extension of this server: finds the top documents of each value of a field. top_k counts groups, of which ' +
      'the one with the top document is first; matches has the documents of the first group, then those of the second, ' +
      'and so on, each with its value as _group. A document with a list is in the group of each of its strings, ' +
      `one without the field in none. top_k times size is at most ${TOP_K_MAX}.`,
    examples: [{ field: 'author', size: 2 }],
  },
);

/** Null when absent. @throws invalid-argument */
export function readGroupBy(json: unknown, schema: DocumentSchema, topK: number): RequestedGroups | null {
  if (json === undefined) return null;
  const body = requiredObject(json, 'group_by');
  refuseUnknown(body, ['field', 'size'], 'group_by');
  const size = checkInteger(body.size ?? GROUP_SIZE_DEFAULT, 'group_by.size', {
    min: 1,
    max: GROUP_SIZE_MAX,
  });
  if (topK * size > TOP_K_MAX) {
    throw invalid(`top_k times group_by.size must be at most ${TOP_K_MAX}, got ${topK * size}`);
  }
  return { field: metadataField(body.field, 'group_by.field', schema), size, groupsMax: topK };
}
