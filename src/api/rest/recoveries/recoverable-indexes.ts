// GET /recoverable-indexes and GET /indexes/{index_name}/recoveries: the moments to which indexes can be recovered.
import type { ControlEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { indexName } from '../indexes/index-reply.ts';
import {
  DescribedIndexObject,
  Enabled,
  OURS,
  RecoverableIndexObject,
  recoverableToWire,
  SourceParams,
} from './recovery-schemas.ts';

const common = {
  method: 'GET',
  tag: 'Recoveries',
  since: '2026-07',
  permission: 'control_plane::restore_jobs::list',
  errors: 'standard',
} as const;

export const listRecoverableIndexes: ControlEndpoint = {
  ...common,
  id: 'list_recoverable_indexes',
  path: '/recoverable-indexes',
  summary: 'List the indexes that can be recovered to a moment',
  description: `Indexes of the project by name, also deleted ones while their moments are kept.${OURS}`,
  success: {
    status: 200,
    description: 'The indexes.',
    schema: Type.Object(
      { enabled: Enabled, indexes: Type.Array(RecoverableIndexObject) },
      { title: 'RecoverableIndexList' },
    ),
  },
  faults: [],
  handle: async ({ access, services: { recoveries } }) => ({
    status: 200,
    body: { enabled: recoveries.isOn, indexes: recoveries.recoverable(access).map(recoverableToWire) },
  }),
};

export const describeRecoverableIndex: ControlEndpoint = {
  ...common,
  id: 'describe_recoverable_index',
  path: '/indexes/{index_name}/recoveries',
  summary: 'Describe the moments to which an index can be recovered',
  description: OURS.trim(),
  params: SourceParams,
  success: {
    status: 200,
    description: 'The moments.',
    schema: DescribedIndexObject,
  },
  faults: ['index-not-found'],
  handle: async (call) => {
    const { recoveries } = call.services;
    const index = await recoveries.describe(call.access, indexName(call));
    return { status: 200, body: { enabled: recoveries.isOn, ...recoverableToWire(index) } };
  },
};
