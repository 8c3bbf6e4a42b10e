// GET /describe_index_stats: the older form of the stats endpoint, without a filter.
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { IndexStats, statsReply } from './index-stats.ts';
import { queryBoolean } from './request-fields.ts';

export const getIndexStats: DataEndpoint = {
  id: 'get_index_stats',
  method: 'GET',
  path: '/describe_index_stats',
  tag: 'Vectors',
  summary: 'Describe index stats, without a body',
  since: '2024-04',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  queue: 'read',
  query: Type.Object({
    without_namespaces: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Returns only the totals, with empty `namespaces`. An extension of this server.',
      }),
    ),
  }),
  success: { status: 200, description: 'Counts.', schema: IndexStats },
  faults: ['invalid-argument'],
  handle: async (call) => {
    const isTotal = queryBoolean(call.query, 'withoutNamespaces');
    const reply = await statsReply(call, null);
    return isTotal && reply.stats !== undefined ? { ...reply, stats: { ...reply.stats, counts: [] } } : reply;
  },
};
