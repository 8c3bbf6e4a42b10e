// GET /indexes: lists all indexes of the key's project.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { IndexList } from './index-schemas.ts';
import { indexToWire } from './index-wire.ts';

async function handle({ access, version, services: { indexes } }: ControlCall): Promise<Reply> {
  const found = await indexes.list(access);
  const body = { indexes: found.map((index) => indexToWire(index, indexes.hostOf(index), version)) };
  return { status: 200, body };
}

export const listIndexes: ControlEndpoint = {
  id: 'list_indexes',
  method: 'GET',
  path: '/indexes',
  tag: 'Indexes',
  summary: 'List indexes',
  description: 'All indexes of the project ordered by name, including those being deleted. Not paginated.',
  since: '2024-04',
  permission: 'control_plane::indexes::list',
  errors: 'standard',
  success: { status: 200, description: 'The indexes.', schema: IndexList },
  faults: [],
  handle,
};
