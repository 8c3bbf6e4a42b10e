// GET /records/namespaces/{namespace}/map/points: a page of the points of a map.
import { MAP_PAGE_DEFAULT, MAP_PAGE_MAX, MAP_POINTS_MAX } from '../../../domain/maps/namespace-maps.ts';
import { Type } from '../../schema/type.ts';
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { queryBoolean, queryInteger, queryString } from '../records/request-fields.ts';
import { RecordId } from '../records/schemas.ts';
import { COORDINATE, MAP_CALL, namespaceOfPath } from './map-call.ts';

const OFFSET = { min: 0, max: MAP_POINTS_MAX };
const LIMIT = { min: 1, max: MAP_PAGE_MAX };

export const listMapPoints: BulkEndpoint = {
  ...MAP_CALL,
  path: '/records/namespaces/{namespace}/map/points',
  id: 'list_map_points',
  method: 'GET',
  summary: 'List the points of a map',
  description:
    'Positions of records, and on request their ids and the codes of a field: lists of one length, in one order. The ' +
    'order never follows the records, so the first points are an even sample. Start over when `made_at` changes ' +
    'between pages. An extension of this server.',
  query: Type.Object({
    offset: Type.Optional(Type.Integer({ minimum: OFFSET.min, maximum: OFFSET.max, default: 0 })),
    limit: Type.Optional(Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: MAP_PAGE_DEFAULT })),
    field: Type.Optional(Type.String({ description: 'A field of the map, whose codes to return.' })),
    include_ids: Type.Optional(Type.Boolean({ default: false })),
    include_positions: Type.Optional(Type.Boolean({ default: true })),
  }),
  success: {
    status: 200,
    description: 'The page.',
    schema: Type.Object({
      made_at: Type.String({ examples: ['2026-07-01T08:00:00.000Z'] }),
      total: Type.Integer({ minimum: 0, description: 'Points of the map.', examples: [3] }),
      x: Type.Optional(
        Type.Array(Type.Integer(), { description: COORDINATE, examples: [[120, 40_000, 65_535]] }),
      ),
      y: Type.Optional(
        Type.Array(Type.Integer(), { description: COORDINATE, examples: [[0, 9_000, 31_000]] }),
      ),
      ids: Type.Optional(Type.Array(RecordId)),
      codes: Type.Optional(
        Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
          description: 'Values of the field as the map describes them; 0 without one.',
        }),
      ),
    }),
  },
  faults: ['invalid-argument', 'namespace-not-found', 'map-not-found'],
  handle: async (call) => {
    const { query, index, services } = call;
    const { madeAt, count, x, y, ids, codes } = await services.maps.points(index, namespaceOfPath(call), {
      offset: queryInteger(query, 'offset', OFFSET) ?? 0,
      limit: queryInteger(query, 'limit', LIMIT) ?? MAP_PAGE_DEFAULT,
      field: queryString(query, 'field') ?? null,
      hasIds: queryBoolean(query, 'include_ids'),
      hasPositions: query.include_positions === undefined || queryBoolean(query, 'include_positions'),
    });
    return {
      status: 200,
      body: {
        made_at: madeAt,
        total: count,
        ...(x && { x }),
        ...(y && { y }),
        ...(ids && { ids }),
        ...(codes && { codes }),
      },
    };
  },
};
