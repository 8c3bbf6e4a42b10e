// DELETE /bulk/exports/{id}: cancels an export, or deletes its files from the server's own storage.

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
    "A running export is cancelled and its files are deleted. For an export that has ended, files in the server's own storage are deleted; files at a `uri` are kept.",
  since: '2024-10',
  permission: 'data_plane::imports::write',
  errors: 'both',
  params: ExportPath,
  success: { status: 200, description: 'The request is accepted.', schema: Empty },
  faults: ['export-not-found'],
  handle: async (call) => {
    await call.services.exports.remove(call, call.params.id ?? '');
    return { status: 200, body: {} };
  },
};
