// What the endpoints of maps have in common.
import { servedNamespace } from '../../../domain/aliases/alias-names.ts';
import { COORDINATE_MAX, type MapDetails } from '../../../domain/maps/namespace-maps.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { EndpointDetails } from '../../endpoint.ts';
import { readNamespace } from '../../request-namespaces.ts';
import { Type } from '../../schema/type.ts';
import { ServedNamespace } from '../documents/schemas.ts';
import type { BulkCall } from '../import-export/bulk-endpoint.ts';
import { choice } from '../indexes/body-parts.ts';
import { NamespacePath } from '../records/schemas.ts';

export const MAP_CALL = {
  path: '/records/namespaces/{namespace}/map',
  tag: 'Maps',
  since: '2026-07',
  permission: 'data_plane::vectors::read',
  errors: 'standard',
  params: NamespacePath,
} as const satisfies Partial<EndpointDetails>;

/** The stored name of the namespace of the path, or of the target of an alias. @throws invalid-argument */
export function namespaceOfPath({ params, index, services }: BulkCall): string {
  const { stored } = readNamespace(params.namespace);
  return servedNamespace(services.sharedAliases(index.id), stored);
}

const Values = Type.Object(
  {
    name: Type.String({ examples: ['genre'] }),
    kind: Type.Literal('values'),
    values: Type.Array(
      Type.Object({
        value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
        count: Type.Integer({ minimum: 1 }),
      }),
      { description: 'The most frequent first; points with the first have code 1, and so on.' },
    ),
    others: Type.Integer({
      minimum: 0,
      description: 'Points with other values, whose code is the one after the last.',
    }),
  },
  {
    title: 'MapValues',
    examples: [
      {
        name: 'genre',
        kind: 'values',
        values: [
          { value: 'drama', count: 700 },
          { value: 'comedy', count: 480 },
        ],
        others: 20,
      },
    ],
  },
);
const Numbers = Type.Object(
  {
    name: Type.String({ examples: ['year'] }),
    kind: Type.Literal('numbers'),
    min: Type.Number({ description: 'The number of code 1.' }),
    max: Type.Number({ description: 'The number of code 255.' }),
  },
  { title: 'MapNumbers', examples: [{ name: 'year', kind: 'numbers', min: 1924, max: 2026 }] },
);

export const MapObject = Type.Object(
  {
    namespace: ServedNamespace,
    map: Type.Union([
      Type.Null(),
      Type.Object({
        points: Type.Integer({ minimum: 0, examples: [1_200] }),
        total_records: Type.Integer({
          minimum: 0,
          description:
            'Records of the namespace when the map was made; of very many, the map shows a sample.',
          examples: [1_200],
        }),
        made_at: Type.String({ examples: ['2026-07-01T08:00:00.000Z'] }),
        fields: Type.Array(Type.Union([Values, Numbers]), {
          description: 'Metadata fields by which points can be colored.',
        }),
      }),
    ]),
    up_to_date: Type.Boolean({ description: 'False once the index has changed since.' }),
    work: Type.Union([
      Type.Null(),
      Type.Object({
        state: choice(['Pending', 'Running', 'Failed']),
        percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
        error: Type.Union([Type.String(), Type.Null()]),
      }),
    ]),
  },
  { title: 'NamespaceMap', description: 'The map is null until it has been made for the first time.' },
);

export const COORDINATE = `Whole numbers from 0 to ${COORDINATE_MAX}.`;

export function mapBody(namespace: string, { map, isCurrent, work }: MapDetails): object {
  return {
    namespace: namespaceToShown(namespace),
    map: map && {
      points: map.points,
      total_records: map.total,
      made_at: map.madeAt,
      fields: map.fields,
    },
    up_to_date: isCurrent,
    work: work && { state: work.state, percent_complete: work.percent, error: work.error },
  };
}
