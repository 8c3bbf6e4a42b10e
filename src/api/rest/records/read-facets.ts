// The facets of a search, an extension of this server: the values of metadata fields, and how many matches have each.
import type { QueryRequest, ValuesRequest, VectorReader } from '../../../app/records/record-access.ts';
import { type SearchTarget, vectorsOfTarget } from '../../../app/records/search-records.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import {
  FACET_DISTINCT_MAX,
  FACET_TIES_MAX,
  FACET_VALUES_DEFAULT,
  FACET_VALUES_MAX,
  FACETS_MAX,
} from '../../../domain/limits.ts';
import type { FieldCounts } from '../../../domain/records/value-counts.ts';
import { Type } from '../../schema/type.ts';
import { metadataField } from './metadata-field.ts';
import { checkInteger, refuseUnknown, requiredObject } from './request-fields.ts';

export const FacetsBody = Type.Array(
  Type.Object(
    {
      field: Type.String({ description: 'A metadata field.', examples: ['cuisine'] }),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: FACET_VALUES_MAX,
          default: FACET_VALUES_DEFAULT,
          description: 'Values to return.',
        }),
      ),
    },
    { additionalProperties: false, title: 'Facet' },
  ),
  {
    minItems: 1,
    maxItems: FACETS_MAX,
    description:
      'An extension of this server: counts the values of fields among all records that match, not only the top ones: ' +
      'those that pass the filter and, where no dense vector ranks, match one of the words or clauses.',
    examples: [[{ field: 'cuisine', limit: 5 }]],
  },
);

export const FacetCounts = Type.Array(
  Type.Object(
    {
      field: Type.String({ examples: ['cuisine'] }),
      values: Type.Array(
        Type.Object({
          value: Type.Union([Type.String(), Type.Number(), Type.Boolean()], { examples: ['thai'] }),
          count: Type.Integer({
            description: 'Records that have it; one with a list has each of its strings.',
            examples: [12],
          }),
        }),
        {
          description:
            'The most frequent ones; equally frequent ones in ascending order: booleans, numbers, strings. Where more ' +
            `than ${FACET_TIES_MAX} of these do not fit, others of them may be shown, the same ones until documents change.`,
        },
      ),
      distinct: Type.Integer({ description: 'Different values in all.', examples: [7] }),
      exact: Type.Boolean({
        description: `False where there are more than ${FACET_DISTINCT_MAX.toLocaleString('en')} different values: further ones are not counted.`,
      }),
    },
    { title: 'FacetCounts' },
  ),
  { description: 'With facets: one for each, in their order.' },
);

type CountedTarget = NonNullable<ValuesRequest['among']>[number];

export interface RequestedFacet {
  readonly field: string;
  readonly limit: number;
}

/** Null when absent. @param schema null for indexes of vectors. @throws invalid-argument */
export function readFacets(json: unknown, schema: DocumentSchema | null): readonly RequestedFacet[] | null {
  if (json === undefined) return null;
  if (!Array.isArray(json) || json.length < 1 || json.length > FACETS_MAX) {
    throw invalid(`facets must be a list of 1 to ${FACETS_MAX} objects with a field`);
  }
  const facets = json.map((facet: unknown) => {
    const body = requiredObject(facet, 'Each facet');
    refuseUnknown(body, ['field', 'limit'], 'A facet');
    const limit = body.limit ?? FACET_VALUES_DEFAULT;
    return {
      field: metadataField(body.field, 'facets.field', schema),
      limit: checkInteger(limit, 'facets.limit', { min: 1, max: FACET_VALUES_MAX }),
    };
  });
  if (new Set(facets.map(({ field }) => field)).size < facets.length) {
    throw invalid('facets must name each field once');
  }
  return facets;
}

/** The counts as members of the answer's list. */
export async function countFacets(
  reader: VectorReader,
  facets: readonly RequestedFacet[],
  search: Omit<ValuesRequest, 'fields'>,
): Promise<readonly object[]> {
  return facetsToWire(await reader.countValues({ ...search, fields: facets }));
}

/** Of a search by vectors: records that share an index with a sparse one, or all where a dense one ranks. */
export async function countedByVectors(
  store: VectorReader,
  namespace: string,
  target: SearchTarget,
): Promise<ValuesRequest['among']> {
  const vectors = await vectorsOfTarget(store, namespace, target);
  return vectors === null ? [] : countedAmong([{ ...vectors, text: null }]);
}

/** What the counted records match: a dense vector matches every record. */
export function countedAmong(
  targets: readonly (CountedTarget & Pick<QueryRequest, 'values'>)[],
): ValuesRequest['among'] {
  return targets.some(({ values }) => values !== null) ? null : targets;
}

export function facetsToWire(counted: readonly FieldCounts[]): readonly object[] {
  return counted.map(({ isExact, ...counts }) => ({ ...counts, exact: isExact }));
}
