// POST /describe_index_stats: record counts of the index and its namespaces.
import { invalid } from '../../../domain/faults.ts';
import { parseOptionalFilter } from '../../../domain/filter/parse-filter.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { FilterObject } from './filter-schema.ts';
import { IndexStats, statsReply } from './index-stats.ts';
import { parseOptionalBody } from './parse-body.ts';

export const describeIndexStats: DataEndpoint = {
  id: 'describe_index_stats',
  method: 'POST',
  path: '/describe_index_stats',
  tag: 'Vectors',
  summary: 'Describe index stats',
  description: 'On pod-based indexes only, a filter restricts the counts to the records that match.',
  since: '2024-04',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  queue: 'read',
  bodyOptional: true,
  body: Type.Object({ filter: Type.Optional(FilterObject) }, { examples: [{}] }),
  success: { status: 200, description: 'Counts.', schema: IndexStats },
  faults: ['invalid-argument', 'body-not-json', 'request-too-big', 'bad-filter'],
  handle: async (call) => {
    const filter = parseOptionalFilter(parseOptionalBody(call.body).filter);
    if (filter !== null && call.index.kind !== 'pod') {
      throw invalid('Serverless indexes do not support describing index stats with metadata filtering');
    }
    return statsReply(call, filter);
  },
};
