// POST /records/namespaces/{namespace}/upsert: text records, for indexes with integrated embedding.
import { Type } from 'typebox';
import { fault } from '../../domain/faults.ts';
import type { DataEndpoint } from '../endpoint.ts';
import { Metadata, NamespacePath } from './schemas.ts';

export const upsertRecords: DataEndpoint = {
  id: 'upsert_records',
  method: 'POST',
  path: '/records/namespaces/{namespace}/upsert',
  tag: 'Records',
  summary: 'Upsert records',
  description: 'One JSON object a line. Indexes without integrated embedding answer 400.',
  since: '2025-01',
  permission: 'data_plane::vectors::write',
  errors: 'both',
  lane: 'write',
  params: NamespacePath,
  body: Type.Intersect([Type.Object({ _id: Type.String() }), Metadata]),
  success: { status: 201, description: 'Stored.' },
  faults: ['not-integrated'],
  handle: async () => {
    throw fault('not-integrated');
  },
};
