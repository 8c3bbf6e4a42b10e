// DELETE /bulk/exports/{id}: ends an export, or removes its files from the server's own storage.

import { Empty } from '../records/schemas.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { ExportPath } from './export-wire.ts';

export const deleteExport: BulkEndpoint = {
  id: 'delete_bulk_export',
  method: 'DELETE',
  path: '/bulk/exports/{id}',
  tag: 'Bulk exports',
  summary: 'Cancel an export or delete its files',
  description:
    "One that runs ends, and its files are removed. Of one that has ended, the files in the server's own storage go; files written to a `uri` are left alone.",
  since: '2024-10',
  permission: 'data_plane::imports::write',
  errors: 'both',
  params: ExportPath,
  success: { status: 200, description: 'Done, or sure to happen.', schema: Empty },
  faults: ['export-not-found'],
  handle: async (call) => {
    await call.services.exports.remove(call, call.params.id ?? '');
    return { status: 200, body: {} };
  },
};
