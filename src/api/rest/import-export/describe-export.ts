// GET /bulk/exports/{id}: describes an export and its progress.
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { ExportObject, ExportPath, exportBody } from './export-wire.ts';

export const describeExport: BulkEndpoint = {
  id: 'describe_bulk_export',
  method: 'GET',
  path: '/bulk/exports/{id}',
  tag: 'Bulk exports',
  summary: 'Describe an export',
  since: '2024-10',
  permission: 'data_plane::imports::read',
  errors: 'both',
  params: ExportPath,
  success: { status: 200, description: 'The export.', schema: ExportObject },
  faults: ['export-not-found'],
  handle: async (call) => {
    const details = await call.services.exports.describe(call, call.params.id ?? '');
    return { status: 200, body: exportBody(details) };
  },
};
