// GET /describe_index_stats: the older form of the stats endpoint, without a filter.
import type { DataEndpoint } from '../../endpoint.ts';
import { IndexStats, statsReply } from './index-stats.ts';

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
  success: { status: 200, description: 'Counts.', schema: IndexStats },
  faults: [],
  handle: async (call) => statsReply(call, null),
};
